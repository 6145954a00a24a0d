#pragma once
// The tables that a page carries, in the place of SQLite: the store's own readers ask this instead
// (Database.h), each with the statements it asks of a run database. Bytes of chunks come in blocks;
// a reader that needs one that is not there fails, and the block is among those that are wanted.
// One thread.
//
// Tables, as web/data writes them: varint tables, of each: block name, varint columns, block names
// of columns, varint rows, then column by column each cell: u8 0 nothing, 1 integer (signed varint,
// less the integer before it in its column), 2 double (8 bytes), 3 text (block), 4 bytes (varint
// block, offset, size).

#include "core/store/codec/Bytes.h"

#include <set>

namespace trainscope::web {

bool openTables(store::ByteView bytes); // false: they are no tables
void addBlock(std::uint32_t number, store::ByteView bytes);
std::set<std::uint32_t>& wantedBlocks();

} // namespace trainscope::web
