#pragma once
// Questions to an engine that is busy, limited or gone: what is worth asking again is asked again
// after a while, and what failed is said with what to do about it.

#include "importers/engine/Fetch.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace trainscope::importers::engine {

struct Patience {
    int tries = 5; // in all
    std::chrono::milliseconds first{250}; // then twice as long each time
    std::chrono::milliseconds longest{10'000}; // also of what the server wishes
};

enum class Trouble {
    None,
    TooMuch, // less at once may work: fewer series or a shorter time
    Passing, // the same may work later
    Lasting,
};

struct Reply {
    Trouble trouble = Trouble::None;
    Error error; // in trouble
    std::string body; // without trouble
    std::uint64_t wireBytes = 0;
};

class Question {
public:
    // Sent at once. The fetcher outlives it.
    Question(Fetcher& fetcher, HttpRequest request, Patience patience = {});
    // Cancelled is an error of the result; all else is in the reply.
    Result<Reply> wait(const IsCancelled& isCancelled);

private:
    Fetcher& m_fetcher;
    HttpRequest m_request;
    Patience m_patience;
    std::unique_ptr<PendingAnswer> m_pending;
};

// Sends, waits, and makes an error of any trouble.
Result<std::string> askFor(Fetcher& fetcher, HttpRequest request, const IsCancelled& isCancelled);

// By the HTTP status and what the engine says.
Reply replyOf(HttpAnswer answer);

} // namespace trainscope::importers::engine
