#include "core/store/sql/BlockAggregates.h"

#include "core/model/Try.h"
#include "core/store/sql/VirtualTable.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace trainscope::store {
namespace {

constexpr const char* kValues = "trainscope values";
constexpr const char* kTimes = "trainscope times";

BlockPass& passOf(sqlite3_context* context) {
    return *static_cast<BlockPass*>(sqlite3_user_data(context));
}

// The aggregate's own memory, zero at first.
template <typename State>
State* stateOf(sqlite3_context* context) {
    return static_cast<State*>(sqlite3_aggregate_context(context, sizeof(State)));
}

SampleBlock* valuesIn(sqlite3_context* context, sqlite3_value* argument) {
    auto* block = static_cast<SampleBlock*>(sqlite3_value_pointer(argument, kValues));
    if (block != nullptr)
        passOf(context).taken();
    return block;
}
SampleBlock* timesIn(sqlite3_context* context, sqlite3_value* argument) {
    auto* block = static_cast<SampleBlock*>(sqlite3_value_pointer(argument, kTimes));
    if (block != nullptr)
        passOf(context).taken();
    return block;
}

// Number of samples that the row stands for.
std::int64_t weightOf(sqlite3_context* context) {
    const SampleBlock* block = passOf(context).block();
    return block == nullptr ? 1 : block->count();
}

struct CountState {
    std::int64_t count;
};

void countStep(sqlite3_context* context, int arguments, sqlite3_value** values) {
    auto* state = stateOf<CountState>(context);
    if (state == nullptr)
        return;
    const bool isOfRows = arguments == 0;
    const SampleBlock* valued = isOfRows ? nullptr : valuesIn(context, values[0]);
    const SampleBlock* timed
        = isOfRows || valued != nullptr ? nullptr : timesIn(context, values[0]);
    if (valued != nullptr)
        state->count += valued->present();
    else if (timed != nullptr)
        state->count += timed->count();
    else if (isOfRows || sqlite3_value_type(values[0]) != SQLITE_NULL)
        state->count += weightOf(context);
}

void countEnd(sqlite3_context* context) {
    const auto* state = static_cast<CountState*>(sqlite3_aggregate_context(context, 0));
    sqlite3_result_int64(context, state == nullptr ? 0 : state->count);
}

// As SQLite's own: whole numbers stay whole, and what is too large for one is told.
struct SumState {
    double real;
    std::int64_t whole;
    std::int64_t count;
    bool isReal;
    bool isTooLarge;
};

void addBlock(sqlite3_context* context, SumState& state, SampleBlock& block) {
    if (block.present() == 0)
        return;
    const auto sum = block.sum();
    if (!sum.hasValue())
        return putError(context, sum.error());
    state.count += block.present();
    state.real += sum.value();
    state.isReal = true;
}

void addWeighted(SumState& state, std::int64_t value, std::int64_t weight) {
    std::int64_t product = 0;
    state.count += weight;
    state.real += static_cast<double>(value) * static_cast<double>(weight);
    if (!state.isReal && !state.isTooLarge
        && (__builtin_mul_overflow(value, weight, &product)
            || __builtin_add_overflow(state.whole, product, &state.whole)))
        state.isTooLarge = true;
}

void sumStep(sqlite3_context* context, int, sqlite3_value** values) {
    auto* state = stateOf<SumState>(context);
    if (state == nullptr)
        return;
    if (SampleBlock* block = valuesIn(context, values[0]))
        return addBlock(context, *state, *block);
    switch (sqlite3_value_type(values[0])) {
    case SQLITE_NULL:
        // Times have no sum here: they stay open, which refuses the statement.
        return;
    case SQLITE_INTEGER:
        return addWeighted(*state, sqlite3_value_int64(values[0]), weightOf(context));
    default:
        return passOf(context).refuse();
    }
}

void sumEnd(sqlite3_context* context) {
    const auto* state = static_cast<SumState*>(sqlite3_aggregate_context(context, 0));
    if (state == nullptr || state->count == 0)
        return;
    if (state->isTooLarge)
        sqlite3_result_error(context, "integer overflow", -1);
    else if (state->isReal)
        putReal(context, state->real);
    else
        sqlite3_result_int64(context, state->whole);
}

void totalEnd(sqlite3_context* context) {
    const auto* state = static_cast<SumState*>(sqlite3_aggregate_context(context, 0));
    sqlite3_result_double(context, state == nullptr ? 0.0 : state->real);
}

void averageEnd(sqlite3_context* context) {
    const auto* state = static_cast<SumState*>(sqlite3_aggregate_context(context, 0));
    if (state != nullptr && state->count > 0)
        putReal(context, state->real / static_cast<double>(state->count));
}

// The least of some numbers of one kind.
struct LeastState {
    bool isAny;
    bool isReal;
    std::int64_t whole;
    double real;
};

template <bool IsMax, typename T>
void keep(bool isAny, T& best, T value) {
    best = !isAny ? value : IsMax ? std::max(best, value) : std::min(best, value);
}

template <bool IsMax>
void leastStep(sqlite3_context* context, int, sqlite3_value** values) {
    auto* state = stateOf<LeastState>(context);
    if (state == nullptr)
        return;
    if (const SampleBlock* block = valuesIn(context, values[0])) {
        if (block->present() == 0)
            return;
        keep<IsMax>(state->isAny, state->real, IsMax ? block->max() : block->min());
        state->isReal = true;
    } else if (const SampleBlock* timed = timesIn(context, values[0])) {
        keep<IsMax>(state->isAny, state->whole, IsMax ? timed->lastTime() : timed->firstTime());
    } else if (sqlite3_value_type(values[0]) == SQLITE_INTEGER) {
        keep<IsMax>(state->isAny, state->whole, std::int64_t{sqlite3_value_int64(values[0])});
    } else {
        if (sqlite3_value_type(values[0]) != SQLITE_NULL)
            passOf(context).refuse();
        return;
    }
    state->isAny = true;
}

void leastEnd(sqlite3_context* context) {
    const auto* state = static_cast<LeastState*>(sqlite3_aggregate_context(context, 0));
    if (state == nullptr || !state->isAny)
        return;
    if (state->isReal)
        sqlite3_result_double(context, state->real);
    else
        sqlite3_result_int64(context, state->whole);
}

struct Aggregate {
    const char* name;
    int arguments;
    void (*step)(sqlite3_context*, int, sqlite3_value**);
    void (*end)(sqlite3_context*);
};
constexpr std::array<Aggregate, 7> kAggregates{{
    {"count", 0, countStep, countEnd},
    {"count", 1, countStep, countEnd},
    {"sum", 1, sumStep, sumEnd},
    {"total", 1, sumStep, totalEnd},
    {"avg", 1, sumStep, averageEnd},
    {"min", 1, leastStep<false>, leastEnd},
    {"max", 1, leastStep<true>, leastEnd},
}};

// An instruction of SQLite's machine, as EXPLAIN shows it.
struct Instruction {
    std::string name;
    std::int64_t first = 0; // operands
    std::int64_t second = 0;
    std::int64_t third = 0;
    std::string what; // the fourth: "avg(1)"
};

// "avg(1)" → "avg".
std::string_view functionOf(const Instruction& instruction) {
    const std::string_view what = instruction.what;
    return what.substr(0, what.find('('));
}

bool isBlockAggregate(const Instruction& instruction) {
    const auto name = functionOf(instruction);
    return std::any_of(kAggregates.begin(), kAggregates.end(),
        [name](const Aggregate& aggregate) { return name == aggregate.name; });
}

// Instructions that a step over a row may use besides aggregates: reading, comparing, computing and
// going elsewhere. None of them keeps a row, and all depend on nothing but the row.
constexpr std::array<std::string_view, 67> kHarmless{"VColumn", "CollSeq", "Compare", "Jump",
    "Move", "Gosub", "Return", "IfPos", "If", "IfNot", "Integer", "Int64", "Real", "String8",
    "String", "Null", "Copy", "SCopy", "IntCopy", "Goto", "Eq", "Ne", "Lt", "Le", "Gt", "Ge",
    "ElseEq", "IsNull", "NotNull", "Function", "PureFunc", "Affinity", "Cast", "Not", "And", "Or",
    "Add", "Subtract", "Multiply", "Divide", "Remainder", "Concat", "BitAnd", "BitOr", "ShiftLeft",
    "ShiftRight", "RealAffinity", "IsTrue", "ZeroOrNull", "Found", "NotFound", "NoConflict",
    "Column", "Rowid", "SeekGE", "SeekGT", "SeekLE", "SeekLT", "SeekRowid", "NotExists",
    "DeferredSeek", "Rewind", "Next", "IdxGT", "IdxGE", "IdxRowid", "Noop"};

// `table`: the cursor whose rows are blocks, which have no numbers of their own.
bool isHarmless(const Instruction& instruction, std::int64_t table) {
    if (instruction.name == "AggStep")
        return isBlockAggregate(instruction);
    if (instruction.name == "Rowid" && instruction.first == table)
        return false;
    if (instruction.name == "Function")
        return !functionOf(instruction).starts_with("random");
    return std::find(kHarmless.begin(), kHarmless.end(), instruction.name) != kHarmless.end();
}

using Program = std::vector<Instruction>;

std::int64_t countOf(
    Program::const_iterator from, Program::const_iterator to, std::string_view name) {
    return std::count_if(
        from, to, [name](const Instruction& instruction) { return instruction.name == name; });
}

using InstructionAt = Program::const_iterator;

// The columns that rows are grouped by: what a Compare finds in its registers.
std::set<std::int64_t> keysOf(InstructionAt begin, InstructionAt end) {
    std::set<std::int64_t> keys;
    for (auto compare = begin; compare != end; ++compare) {
        for (auto read = begin; read != end && compare->name == "Compare"; ++read) {
            const bool isKey = read->name == "VColumn" && read->third >= compare->second
                && read->third < compare->second + compare->third;
            if (isKey)
                keys.insert(read->second);
        }
    }
    return keys;
}

// A max() or min() that chooses the row which plain columns come from sets a register of its
// CollSeq, and behind an If on that register these columns are read. What the rows are grouped by
// may be among them.
bool choosesRows(const Program& program, InstructionAt begin, InstructionAt end) {
    const auto keys = keysOf(begin, end);
    for (auto choice = begin; choice != end; ++choice) {
        if (choice->name != "CollSeq" || choice->first == 0)
            continue;
        const auto test = std::find_if(choice, end, [&choice](const Instruction& instruction) {
            return instruction.name == "If" && instruction.first == choice->first;
        });
        const auto position = test - program.begin();
        if (test == end || test->second < position || test->second > end - program.begin())
            return true;
        const bool isOfTheGroup
            = std::all_of(test, program.begin() + test->second, [&keys](const Instruction& read) {
                  return read.name != "VColumn" || keys.contains(read.second);
              });
        if (!isOfTheGroup)
            return true;
    }
    return false;
}

bool readsBlocks(const Program& program) {
    const auto all
        = [&](std::string_view name) { return countOf(program.begin(), program.end(), name); };
    if (all("VOpen") != 1 || all("VFilter") != 1 || all("VNext") != 1)
        return false;
    const auto place = [&program](std::string_view name) {
        return std::find_if(program.begin(), program.end(),
            [name](const Instruction& instruction) { return instruction.name == name; });
    };
    const auto begin = place("VFilter") + 1;
    const auto end = place("VNext");
    if (begin > end || countOf(begin, end, "AggStep") == 0)
        return false;
    const bool isAllInside = countOf(begin, end, "AggStep") == all("AggStep")
        && countOf(begin, end, "VColumn") == all("VColumn");
    const auto isHarmlessHere = [table = place("VOpen")->first](const Instruction& instruction) {
        return isHarmless(instruction, table);
    };
    return isAllInside && std::all_of(begin, end, isHarmlessHere)
        && !choosesRows(program, begin, end);
}

} // namespace

void BlockPass::giveValues(sqlite3_context* into) {
    ++m_open;
    sqlite3_result_pointer(into, m_block, kValues, nullptr);
}

void BlockPass::giveTimes(sqlite3_context* into) {
    ++m_open;
    sqlite3_result_pointer(into, m_block, kTimes, nullptr);
}

Status addBlockAggregates(Database& database, BlockPass& pass) {
    for (const Aggregate& aggregate : kAggregates) {
        const int code = sqlite3_create_function_v2(database.handle(), aggregate.name,
            aggregate.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, &pass,
            nullptr, aggregate.step, aggregate.end, nullptr);
        if (code != SQLITE_OK)
            return database.error(code);
    }
    return {};
}

Result<bool> readsBlocks(Database& database, const std::string& sql) {
    Program program;
    RETURN_IF_ERROR(database.forEach("EXPLAIN " + sql, [&program](const Row& row) {
        program.push_back(
            {row.string(1), row.integer(2), row.integer(3), row.integer(4), row.string(5)});
    }));
    return readsBlocks(program);
}

} // namespace trainscope::store
