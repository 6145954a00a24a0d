#pragma once
// Sums over slices of a run's traces, kept once they were computed: whoever computes them says what
// the bytes mean (analysis/traces/TraceSums.h). They go when a source of the run is imported or
// removed. Changes are refused as in Writing.h.

#include "core/model/Id.h"
#include "core/model/Result.h"
#include "core/store/codec/Bytes.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace trainscope::store {

class SpillFile;
class Store;

// Identity of a sequence of slices.
struct SumPlace {
    int kind = 0;
    int rank = -1;
    std::int64_t place = 0;
};

// A slice reaches to the begin of the next one.
struct SumSlice {
    std::int64_t begin = 0; // ns
    std::int64_t since = 0; // ns; the earliest moment that its sums depend on
    Bytes sums;
    Bytes detail; // read only by those who ask
    // Its place in KeptSums::details, if it lies there.
    std::uint64_t detailAt = 0;
    std::uint64_t detailSize = 0;
};

struct SumSequence {
    SumPlace place;
    std::vector<SumSlice> slices; // by begin
};

struct KeptSums {
    RunId run;
    std::int64_t basis = 0; // by which formulas: sums of another basis are stale
    Bytes names; // the names in the slices
    std::vector<SumSequence> sequences;
    std::string state = {}; // sourceState(), asked before the traces were read
    std::shared_ptr<SpillFile> details = {};
    std::uint64_t detailsInMemory = 0; // bytes

    // Details beyond kMostInMemory go to an unnamed file beside the database.
    static constexpr std::uint64_t kMostInMemory = std::uint64_t{64} << 20U;
    Status add(SumSequence sequence, const std::filesystem::path& database);
};

// Short text that changes when a source of the run is imported or removed.
Result<std::string> sourceState(const Store& store, RunId run);

// Replaces those of the run, all or nothing. A run that is gone is passed over, and one of another
// state: these sums are not of what it holds now.
Status keepSums(Store& store, const KeptSums& sums);

// One sequence alone, in place of the one that was there; a run that is gone is passed over. Its
// bytes tell their reader if they are stale: no basis does.
Status keepSum(Store& store, RunId run, const SumSequence& sequence);

// The names of the run's sums; absent where none of that basis are kept.
Result<std::optional<Bytes>> keptSumNames(const Store& store, RunId run, std::int64_t basis);

struct SumOutline {
    std::int64_t begin = 0;
    std::int64_t since = 0;
};
// Begins of all slices of a sequence, in order.
Result<std::vector<SumOutline>> sumOutlines(const Store& store, RunId run, const SumPlace& place);

// The slices [first, end) of a sequence in order; the views are valid during the call.
using SumVisitor = std::function<Status(ByteView)>;
enum class SumPart { Sums, Detail };
Status forEachSum(const Store& store, RunId run, const SumPlace& place, std::size_t first,
    std::size_t end, SumPart part, const SumVisitor& visit);

} // namespace trainscope::store
