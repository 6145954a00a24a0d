// A damaged run database merged into a sound one, brought up to date, and cleaned: an error that
// says something, or runs that can be read; the sound one stays sound.

#include "fuzz/DamagedDatabase.h"

#include "core/store/Merge.h"

using namespace trainscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::span<const std::uint8_t> changes(data, size);
    const auto from = fuzz::folder() / "from.trainscope";
    const auto into = fuzz::folder() / "into.trainscope";
    fuzz::writeFile(from, fuzz::damaged(changes));
    fuzz::writeFile(into, fuzz::soundDatabase());
    auto target = store::Store::open(into, store::OpenMode::ReadWrite);
    if (!target.hasValue())
        std::abort();
    const auto source = store::Store::open(from, store::OpenMode::ReadWrite);
    if (!source.hasValue())
        return source.error().message.empty() ? -1 : 0;
    int questions = 0;
    const auto merged = store::mergeInto(
        target.value(), source.value(), [](const Run& run) { return "merged " + run.name; },
        [&questions](const ProgressState&) { return ++questions < 500; });
    if (!merged.hasValue() && merged.error().message.empty())
        std::abort();
    const auto runs = target.value().runs();
    if (!runs.hasValue() || runs.value().size() < 2)
        std::abort();
    return 0;
}
