#pragma once
// A table as the command line prints it whole.

#include "core/text/Table.h"

#include <ostream>

namespace trainscope::cli {

// Its title, the table a little further in, and its notes; nothing where it is empty.
inline void printTitled(std::ostream& out, const text::Table& table) {
    if (table.isEmpty())
        return;
    out << table.title << '\n';
    text::print(out, table, "  ");
    for (const auto& note : table.notes)
        out << "  " << note << '\n';
}

} // namespace trainscope::cli
