#pragma once
// Aggregates over `samples` that take a block of samples at once, so that SQLite need not step over
// each. On a connection made for it the rows of `samples` are blocks: their values and times are
// handles that only count, sum, total, avg, min and max of this file understand, while every other
// column is the same throughout a block. A statement may run there if its program does nothing but
// aggregate (readsBlocks()) and if every handle that was given out went into an aggregate; whoever
// runs it asks for isSound() at the end and else runs the statement row by row.
//
// One thread.

#include "core/store/database/Database.h"
#include "core/store/sql/SampleBlock.h"

#include <cstdint>

struct sqlite3_context;

namespace trainscope::store {

// State that the table and the aggregates of a connection share.
class BlockPass {
public:
    // The block that the only cursor stands on; nullptr: none, and rows count once.
    void enter(SampleBlock* block) { m_block = block; }
    [[nodiscard]] SampleBlock* block() const { return m_block; }

    void giveValues(sqlite3_context* into);
    void giveTimes(sqlite3_context* into);
    void taken() { --m_open; }
    // An aggregate met what it cannot take.
    void refuse() { m_isRefused = true; }
    // So far every handle was taken by an aggregate.
    [[nodiscard]] bool isSound() const { return m_open == 0 && !m_isRefused; }

private:
    SampleBlock* m_block = nullptr;
    std::int64_t m_open = 0;
    bool m_isRefused = false;
};

// Replaces the aggregates of the connection; `pass` must outlive it.
Status addBlockAggregates(Database& database, BlockPass& pass);

// True where the program of the statement, one SELECT, steps over a single virtual table and does
// nothing there but choose, group and aggregate. Relies on the names of SQLite's instructions; one
// that is not known means no.
Result<bool> readsBlocks(Database& database, const std::string& sql);

} // namespace trainscope::store
