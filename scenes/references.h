/* references: where what a scene says comes from, what to read on, and where the chapter can be read in two ways. Words only: of two
 * readings the numbers are facts of the scene, named here, so that they are shown as they stand. */
#ifndef RIDGE_REFERENCES_H
#define RIDGE_REFERENCES_H

enum reference_kind { REFERENCE_READING, REFERENCE_SOURCE, REFERENCE_TOOL, REFERENCE_TOPIC, REFERENCE_N };
const char *reference_kind_name(enum reference_kind k); /* "two readings" "source" "tool" "topic" */

struct reference {
  enum reference_kind kind;
  const char *scene;   /* whose help has it; NULL: everyone's */
  const char *title;   /* at most 30 columns */
  const char *words;   /* one or two sentences */
  const char *fact[2]; /* of a reading: the facts that show both, one when one shows it; NULL none */
};
extern const struct reference reference_table[];
extern const int reference_count;

#endif
