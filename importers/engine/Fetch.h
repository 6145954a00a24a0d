#pragma once
// Fetcher: requests to an engine, without a word about HTTP: whoever has a network stack gives one.
// Any number of requests may be under way.

#include "core/model/Result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::importers::engine {

struct HttpRequest {
    std::string path; // below the engine's address: "api/v1/query"
    std::vector<std::pair<std::string, std::string>> parameters; // not encoded
    bool operator==(const HttpRequest&) const = default;
};

struct HttpAnswer {
    int status = 0;
    std::string body; // unpacked
    std::uint64_t wireBytes = 0; // as it came
    int retryAfterSeconds = 0; // the server's wish; 0: none
    bool isTooLarge = false; // to be held in memory; then it is not given
};

using IsCancelled = std::function<bool()>; // asked often; empty: never

// An answer that is on its way; destroying it gives it up.
class PendingAnswer {
public:
    PendingAnswer() = default;
    PendingAnswer(const PendingAnswer&) = delete;
    PendingAnswer& operator=(const PendingAnswer&) = delete;
    virtual ~PendingAnswer() = default;
    // Whatever the status is; an error where there is no answer (no host, time-out, broken off:
    // Unreadable; a certificate that is not trusted, a redirect elsewhere: Refused). Within 200 ms
    // after cancelling: Cancelled. Once.
    virtual Result<HttpAnswer> wait(const IsCancelled& isCancelled) = 0;
};

class Fetcher {
public:
    Fetcher() = default;
    Fetcher(const Fetcher&) = delete;
    Fetcher& operator=(const Fetcher&) = delete;
    virtual ~Fetcher() = default;
    // Thread-safe; does not wait.
    virtual std::unique_ptr<PendingAnswer> ask(HttpRequest request) = 0;
};

} // namespace trainscope::importers::engine
