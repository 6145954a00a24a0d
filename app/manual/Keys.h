#pragma once
// The window's keys in one list: the handlers take their sequences from it, menus and tool tips
// their hints; the sheet of keys and the manual show it.

#include <span>
#include <string>

namespace trainscope::app {

// `sequences`: alternatives separated by blanks, in QKeySequence's portable spelling; empty for
// keys that a view handles. `shown`: what is printed; empty: the sequences.
struct KeyEntry {
    const char* id;
    const char* group;
    const char* sequences;
    const char* shown;
    const char* action;
};

// Entries of a group stand together.
std::span<const KeyEntry> keyEntries();
// As it is printed.
std::string shownKeys(const KeyEntry& entry);

} // namespace trainscope::app
