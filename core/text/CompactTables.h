#pragma once
// Tables for a program: tabs between cells, units in the titles, numbers in SI with five digits. It
// is a property of the stream that they are printed on.

#include <iosfwd>

namespace trainscope::text {

// From now on, with at most so many rows of each table; 0, as it is at first: for people.
void setCompact(std::ostream& out, long mostRows);
long compactRows(std::ostream& out);

} // namespace trainscope::text
