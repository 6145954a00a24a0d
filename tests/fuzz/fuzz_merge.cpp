// A damaged run database merged into a sound one, brought up to date, and cleaned: an error that
// says something, or runs that can be read; the sound one stays sound. Undamaged, it is merged.

#include "fuzz/DamagedDatabase.h"

#include "core/store/Merge.h"

#include <functional>
#include <optional>

using namespace trainscope;

namespace {

std::function<std::string(const Run&)> namesFor(
    const store::Store& into, const store::Store& from, bool isJoined) {
    auto joined = store::joinByJob(into, from);
    if (!joined.hasValue() && joined.error().message.empty())
        std::abort();
    if (isJoined && joined.hasValue())
        return std::move(joined).value();
    return [](const Run& run) { return "merged " + run.name; };
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static fuzz::DatabaseFile from("from.trainscope");
    static fuzz::DatabaseFile into("into.trainscope");
    static const std::string other = fuzz::makeDatabase();
    // Opening takes as long as merging: some merges go into one target.
    constexpr int kMostMerges = 16;
    static std::optional<Result<store::Store>> target;
    static int merges = 0;
    if (size == 0)
        return 0;
    std::span<const std::uint8_t> changes(data + 1, size - 1);
    from.write(fuzz::damaged(changes, data[0] < 64 ? fuzz::Sums::Old : fuzz::Sums::Right));
    if (!target) {
        into.write(other);
        target.emplace(store::Store::open(into.path(), store::OpenMode::ReadWrite));
        if (!target->hasValue())
            std::abort();
    }
    store::Store& sound = target->value();
    // Read as `import` does, but for some that are brought up to date.
    const auto mode = data[0] % 4 == 0 ? store::OpenMode::ReadWrite : store::OpenMode::ReadOnly;
    const auto source = store::Store::open(from.path(), mode);
    if (!source.hasValue())
        return source.error().message.empty() ? -1 : 0;
    const auto nameOf = namesFor(sound, source.value(), data[0] % 2 == 0);
    int questions = 0;
    const auto merged = store::mergeInto(sound, source.value(), nameOf,
        [&questions](const ProgressState&) { return ++questions < 500; });
    if (!merged.hasValue() && (changes.size() + 1 == size || merged.error().message.empty()))
        std::abort();
    const auto runs = sound.runs();
    if (!runs.hasValue() || runs.value().empty())
        std::abort();
    if (merged.hasValue() && ++merges % kMostMerges == 0)
        target.reset();
    return 0;
}
