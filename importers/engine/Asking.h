#pragma once
// Requests to an engine, without a word about HTTP: whoever has a network stack gives a Fetcher,
// and any number of requests may be under way. Questions go through it to an engine that is busy,
// limited or gone: what is worth asking again is asked again after a while, and what failed is said
// with what to do about it.

#include "core/model/Result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
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

// The address of a monitoring engine as people write it: prom+http://host:9090, prom+https://host/
// with a path in front of the API. Pure; any thread.

struct Address {
    std::string url; // "http://host:9090/prefix": what /api/v1/… is put behind
    bool operator==(const Address&) const = default;
    [[nodiscard]] std::string shown() const { return "prom+" + url; }
    [[nodiscard]] std::string host() const; // "host:9090"
    [[nodiscard]] bool isEncrypted() const { return url.starts_with("https:"); }
};

bool isAddress(std::string_view text); // begins as one
// "prom+http://…", or http:// alone. Usage for anything else, and for a name or password inside:
// what is on a command line is seen by everyone on the machine and kept in its history.
Result<Address> addressFrom(std::string_view text);

// The header by which Mimir and its relatives are told the tenant.
inline constexpr std::string_view kTenantHeader = "X-Scope-OrgID";
// A header of each question, such as the tenant's. Usage for a name that is none or HTTP's own, and
// for a value that is empty or has a line end or another control character in it, which would go on
// as headers and questions of its own. The value may be a secret and is not repeated.
Status checkHeader(std::string_view name, std::string_view value);

} // namespace trainscope::importers::engine
