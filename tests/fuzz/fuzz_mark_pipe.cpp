// Marks that a training script writes into the recorder's pipe, of any bytes: iterations of ranks
// that a cluster has, which end after they begin, and the same ones, phases and values in whatever
// pieces they arrive.

#include "fuzz/Folder.h"
#include "fuzz/Inputs.h"

#include "core/model/LaunchConfig.h"
#include "importers/record/MarkPipe.h"

#include <unistd.h>

using namespace trainscope;

namespace {

struct Heard {
    std::vector<Iteration> iterations;
    std::vector<NamedPhase> phases;
    std::size_t values = 0;
    std::int64_t notUnderstood = 0;
    std::string firstNotUnderstood;
};

// At the instant at which a line ends; what follows the last one is no mark yet.
Heard hear(std::string_view marks, std::size_t pieces) {
    auto pipe = record::MarkPipe::create(fuzz::folder());
    if (!pipe.hasValue())
        std::abort();
    Heard heard;
    std::int64_t lines = 0;
    while (!marks.empty()) {
        const std::string_view line
            = marks.substr(0, std::min(marks.find('\n'), marks.size() - 1) + 1);
        marks.remove_prefix(line.size());
        ++lines;
        for (std::size_t begin = 0; begin < line.size(); begin += pieces) {
            const std::string_view piece = line.substr(begin, pieces);
            if (::write(pipe.value().descriptor(), piece.data(), piece.size())
                != static_cast<ssize_t>(piece.size()))
                std::abort();
            record::Marks marked = pipe.value().take({lines});
            for (Iteration& ended : marked.ended)
                heard.iterations.push_back(std::move(ended));
            for (NamedPhase& ended : marked.phases)
                heard.phases.push_back(std::move(ended));
            heard.values += marked.values.size();
        }
    }
    heard.notUnderstood = pipe.value().notUnderstood();
    heard.firstNotUnderstood = pipe.value().firstNotUnderstood();
    if (heard.notUnderstood > lines)
        std::abort();
    return heard;
}

bool isSame(const Iteration& a, const Iteration& b) {
    return a.index == b.index && a.rank == b.rank && a.range == b.range;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t pieces = fuzz::takeChoice(input, 16) + 1;
    const std::string_view marks = fuzz::textOf(input);
    const Heard whole = hear(marks, std::max<std::size_t>(marks.size(), 1));
    for (const Iteration& iteration : whole.iterations) {
        if (iteration.rank < -1 || iteration.rank >= kMostGpus
            || iteration.range.begin >= iteration.range.end)
            std::abort();
    }
    const Heard split = hear(marks, pieces);
    if (split.notUnderstood != whole.notUnderstood
        || split.firstNotUnderstood != whole.firstNotUnderstood || split.phases != whole.phases
        || split.values != whole.values
        || !std::ranges::equal(split.iterations, whole.iterations, isSame))
        std::abort();
    return 0;
}
