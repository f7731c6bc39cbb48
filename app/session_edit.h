/* session_edit: the text fields of a session: a value for a knob, the list of scenes, the search. In a field every printable key is text,
 * Enter takes it, Esc leaves. */
#ifndef RIDGE_SESSION_EDIT_H
#define RIDGE_SESSION_EDIT_H

#include "app/session.h"

void edit_open(struct session *s, int knob);
void list_open(struct session *s);
void search_open(struct session *s);
void search_next(struct session *s, int direction); /* the next knob or fact with the words last looked for */
void samples_say(struct session *s);   /* how many samples came in, and what did not */
void samples_again(struct session *s); /* reads the file of samples again, where one is set */
void edit_key(struct session *s, uint32_t key, double now);

#endif
