#pragma once
// The tables that a page carries, in the place of SQLite: the store's own readers ask this instead
// (Database.h), each with the statements it asks of a run database. Bytes of chunks come in parts;
// a reader that needs one that is not there fails, and the part is among those that are wanted. One
// thread.
//
// Tables, as web/data writes them: varint tables, of each: block name, varint columns, block names
// of columns, varint rows, then column by column each cell: u8 0 nothing, 1 integer (signed varint,
// less the integer before it in its column), 2 double (8 bytes), 3 text (block), 4 bytes (varint
// part, offset, size; size 2^32 - 1: all of the part).
//
// Parts are called "b0", "b1", …; in a page that is served also "TABLE.KEY", the rows of a table of
// the list "shelf" for one series or track, and "TABLE.KEY.ID.WHICH", the bytes of one of them. At
// most about 256 MB of those are kept: the ones that were not used for longest go.

#include "core/store/codec/Bytes.h"

#include <set>

namespace trainscope::web {

bool openTables(store::ByteView bytes); // false: they are no tables
bool addTables(store::ByteView bytes); // to those that are open
void addPart(const std::string& name, store::ByteView bytes);
// Those that are missing, and while a call asks again and again more of what lies behind them.
std::set<std::string>& wantedParts();
bool isWanting();
void endCall(); // the parts that it used may go

} // namespace trainscope::web
