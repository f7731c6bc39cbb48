/* keys: what each key does. Arrows and hjkl only ever move; nothing is bound to ^S ^Q ^B ^A (flow control, terminal multiplexers) or to
 * Alt. */
#include "app/app.h"
#include "tui/terminal.h"

const struct key_row key_table[] = {
    {"← → h l", "change", "change the knob under the hand, one step", ACTION_TURN, true, {KEY_LEFT_, KEY_RIGHT_, 'h', 'l'}},
    {"PgDn PgUp H L",
     "stride",
     "change it in long strides; J and K too",
     ACTION_COARSE,
     true,
     {KEY_PAGE_DOWN, KEY_PAGE_UP, 'H', 'L', 'J', 'K'}},
    {"Home End", "limits", "to its least and greatest value", ACTION_LIMIT, true, {KEY_HOME_, KEY_END_}},
    {"Enter", "type", "type a value: 4096, 4k, 4Ki, 2^20, 25GB/s, or a name; auto lets it follow again", ACTION_TYPE, false, {'\r'}},
    {"↑ ↓ k j", "choose", "choose another knob, or another fact", ACTION_MOVE, true, {KEY_UP_, KEY_DOWN_, 'k', 'j'}},
    {"Shift-Tab Tab", "panel", "between the knobs and the facts", ACTION_PANEL, true, {KEY_TAB_BACK, '\t'}},
    {"m", "measure", "measure what is shown, again", ACTION_MEASURE, false, {'m'}},
    {"R", "machine", "measure this machine's roofs again", ACTION_MACHINE, false, {'R'}},
    {"G", "guess", "hide what was measured until you have guessed it", ACTION_GUESS, false, {'G'}},
    {"=", "more", "more detail: all roofs and facts, then formulas, then back", ACTION_DETAIL, false, {'='}},
    {"e", "explain", "why is the point here? what was checked, and what that says", ACTION_WHY, false, {'e'}},
    {"p", "peak ×2", "twice the arithmetic: what if?", ACTION_PEAK, false, {'p'}},
    {"w", "memory ×2", "twice the memory speed: what if?", ACTION_BANDWIDTH, false, {'w'}},
    {"0", "reset", "back to how this scene starts", ACTION_RESET, false, {'0'}},
    {"a", "refit", "fit the axes to what is shown", ACTION_REFIT, false, {'a'}},
    {"1 … 6", "part", "a part of the tour; again: its next scene", ACTION_PART, false, {'1', '2', '3', '4', '5', '6'}},
    {"[ ]", "scene", "the scene before, the next one", ACTION_SCENE, true, {'[', ']'}},
    {"Backspace", "back", "the scene you came from", ACTION_BACK, false, {KEY_BACKSPACE_}},
    {"g", "scenes", "list of all scenes: type to find", ACTION_LIST, false, {'g'}},
    {"/", "find", "find a knob or a fact by its name", ACTION_SEARCH, false, {'/'}},
    {"N n", "again", "the one found before, the next one", ACTION_FOUND, true, {'N', 'n'}},
    {"? F1", "help", "what the focused word means, keys, all words on this screen", ACTION_HELP, false, {'?', KEY_F0 + 1}},
    {"Esc", "close", "close the top-most thing", ACTION_CLOSE, false, {0x1b}},
    {"y", "share", "the one line that opens this very screen", ACTION_SHARE, false, {'y'}},
    {"s", "save", "save this screen: text, ANSI, SVG, and its facts as CSV", ACTION_SAVE, false, {'s'}},
    {"t", "theme", "next theme", ACTION_THEME, false, {'t'}},
    {"u", "charset", "next set of glyphs: braille, blocks, lines, ASCII", ACTION_CHARSET, false, {'u'}},
    {"M", "mouse", "mouse on or off: press a knob, wheel changes it", ACTION_MOUSE, false, {'M'}},
    {"P", "present", "large letters for a room (not built yet)", ACTION_PRESENT, false, {'P'}},
    {"^L", "repaint", "paint the screen again", ACTION_REPAINT, false, {12}},
    {"^Z", "suspend", "back to the shell; fg returns", ACTION_SUSPEND, false, {26}},
    {"q ^C", "quit", "quit, from anywhere", ACTION_QUIT, false, {'q', 3}},
};
const int key_count = sizeof key_table / sizeof *key_table;

enum action key_action(uint32_t key, int *direction) {
  *direction = 0;
  for (int i = 0; i < key_count; i++)
    for (int k = 0; k < KEY_ROW_KEYS && key_table[i].key[k]; k++) {
      if (key_table[i].key[k] != key) continue;
      if (key_table[i].pair) *direction = k & 1 ? 1 : -1;
      if (key_table[i].code == ACTION_PART) *direction = k + 1;
      return (enum action)key_table[i].code;
    }
  return ACTION_NONE;
}
