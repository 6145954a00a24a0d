#pragma once
// The open file behind a Store, and the wall that no exception passes: what can still throw is
// memory that a damaged or huge file asks for.

#include "core/store/Values.h"
#include "core/store/database/Database.h"

#include <chrono>
#include <exception>

namespace trainscope::store {

template <typename Work>
auto fenced(const std::filesystem::path& path, Work&& work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::exception& exception) {
        return Error{ErrorCode::Internal,
            std::string("Memory or another resource ran out (") + exception.what() + ").",
            path.string()};
    }
}

struct Connection;
// Refused: opened for reading, or an import or a recording is under way.
Status requireWritable(const Connection& connection);

struct Connection {
    std::filesystem::path path;
    Database database;
    OpenMode mode;
    std::string uuid;
    bool importing = false;
    bool readsInBursts = false;
    std::unique_ptr<ReadSnapshot> burst = {};
    std::chrono::steady_clock::time_point burstBegan = {};

    // function(database, args...), fenced.
    template <typename Function, typename... Args>
    auto call(Function&& function, Args&&... args)
        -> std::invoke_result_t<Function&, Database&, Args&...> {
        using Answer = std::invoke_result_t<Function&, Database&, Args&...>;
        return fenced(path, [&]() -> Answer {
            RETURN_IF_ERROR(readsInBursts ? renewBurst() : database.requireInPlace());
            return function(database, args...);
        });
    }
    // The same, in a transaction, of a store that may be written.
    template <typename Work>
    Status change(Work&& work) {
        RETURN_IF_ERROR(requireWritable(*this));
        return call(
            [&](Database& opened) { return opened.transaction([&] { return work(opened); }); });
    }

private:
    Status renewBurst() {
        constexpr std::chrono::milliseconds longest{100}; // longest wait of a writer
        const auto now = std::chrono::steady_clock::now();
        if (burst && now - burstBegan < longest)
            return {};
        burst.reset();
        RETURN_IF_ERROR(database.requireInPlace());
        burst = std::make_unique<ReadSnapshot>(database);
        burstBegan = now;
        return {};
    }
};

} // namespace trainscope::store
