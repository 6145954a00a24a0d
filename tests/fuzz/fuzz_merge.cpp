// A damaged run database merged into a sound one, brought up to date, and cleaned: an error that
// says something, or runs that can be read; the sound one stays sound. Undamaged, it is merged.

#include "fuzz/DamagedDatabase.h"

#include "core/store/Merge.h"

using namespace trainscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static fuzz::DatabaseFile from("from.trainscope");
    static fuzz::DatabaseFile into("into.trainscope");
    static const std::string other = fuzz::makeDatabase();
    // Opening takes as long as merging: until something is merged the target stays as it is.
    static std::optional<Result<store::Store>> target;
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
    const auto source = store::Store::open(from.path(), store::OpenMode::ReadWrite);
    if (!source.hasValue())
        return source.error().message.empty() ? -1 : 0;
    int questions = 0;
    const auto merged = store::mergeInto(
        sound, source.value(), [](const Run& run) { return "merged " + run.name; },
        [&questions](const ProgressState&) { return ++questions < 500; });
    if (!merged.hasValue() && (changes.size() + 1 == size || merged.error().message.empty()))
        std::abort();
    const auto runs = sound.runs();
    if (!runs.hasValue() || runs.value().empty())
        std::abort();
    if (merged.hasValue())
        target.reset();
    return 0;
}
