// Any text as a question in SQL over a sound database: rows or an error that says something, an end
// within its bounds, and not a byte of the file changed.

#include "fuzz/DamagedDatabase.h"

#include "core/store/Query.h"

using namespace trainscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto& path = [] {
        static fuzz::DatabaseFile file("sql.trainscope");
        file.write(fuzz::soundDatabase());
        return file.path();
    }();
    static const auto store = store::Store::open(path, store::OpenMode::ReadOnly);
    if (!store.hasValue())
        std::abort();
    const std::string text(reinterpret_cast<const char*>(data), size);
    constexpr const char* kFrames[]
        = {"", "SELECT * FROM samples WHERE ", "SELECT * FROM spans WHERE "};
    int questions = 0;
    store::QueryOptions options;
    options.proceed = [&questions] { return ++questions < 40; };
    int rows = 0;
    const Status asked = store::query(
        store.value(), kFrames[size % std::size(kFrames)] + text, {},
        [&rows](const auto&) { return ++rows < 500; }, options);
    if (!asked.hasValue() && asked.error().message.empty())
        std::abort();
    if (std::filesystem::file_size(path) != fuzz::soundDatabase().size())
        std::abort();
    return 0;
}
