#include "importers/engine/Asking.h"

#include "core/model/AsciiText.h"
#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/engine/Answer.h"

#include <fmt/format.h>
#include <thread>

namespace trainscope::importers::engine {
namespace {

constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kUnauthorised = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kTooLong = 414;
constexpr int kUnprocessable = 422;
constexpr int kTooMany = 429;

// As Prometheus, Thanos, Mimir and VictoriaMetrics word their limits.
bool speaksOfLimits(std::string_view text) {
    constexpr std::array<std::string_view, 9> words{"too many", "exceed", "limit", "maximum",
        "timed out", "timeout", "more than", "too large", "too long"};
    return std::any_of(words.begin(), words.end(),
        [text](std::string_view word) { return containsIgnoringCase(text, word); });
}

std::string sentence(int status, const Complaint& complaint) {
    return complaint.text.empty() ? fmt::format("HTTP {}", status)
                                  : fmt::format("HTTP {}: {}", status, complaint.text);
}

Reply trouble(Trouble kind, ErrorCode code, std::string message) {
    Reply reply;
    reply.trouble = kind;
    reply.error = {code, std::move(message), {}};
    return reply;
}

Reply complaintOf(int status, const Complaint& complaint) {
    const std::string said = sentence(status, complaint);
    if (status == kUnauthorised || status == kForbidden) {
        return trouble(Trouble::Lasting, ErrorCode::Refused,
            (status == kUnauthorised ? "The engine wants to know who asks"
                                     : "The engine does not allow this to whoever asks")
                + (" (" + said
                    + "); give a token or a name with its password that may read "
                      "there."));
    }
    const bool isOfEngine = !complaint.type.empty();
    if (complaint.type == "timeout" || complaint.type == "too_many_requests_in_queue"
        || (isOfEngine && speaksOfLimits(complaint.text)) || status == kTooLong)
        return trouble(Trouble::TooMuch, ErrorCode::Unreadable,
            "The engine does not answer that much at once (" + said
                + "); choose a shorter time, fewer series or a longer step.");
    if (status == kNotFound)
        return trouble(Trouble::Lasting, ErrorCode::Unreadable,
            "There is no Prometheus API at this address (" + said
                + "); give the address that /api/v1/query lies below.");
    if (status == kBadRequest || status == kUnprocessable)
        return trouble(Trouble::Lasting, ErrorCode::Unreadable,
            "The engine does not understand the question or cannot answer it (" + said + ").");
    if (status == kTooMany || status >= 500)
        return trouble(Trouble::Passing, ErrorCode::Unreadable,
            "The engine is busy or in trouble (" + said + "); try again later.");
    return trouble(
        Trouble::Lasting, ErrorCode::Unreadable, "The engine did not answer (" + said + ").");
}

Result<bool> sleepFor(std::chrono::milliseconds time, const IsCancelled& isCancelled) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
        if (isCancelled && isCancelled())
            return cancelled();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

constexpr std::string_view kScheme = "prom+";
constexpr std::string_view kExample = "prom+http://host:9090";

bool isWebAddress(std::string_view text) {
    return text.starts_with("http://") || text.starts_with("https://");
}

bool isHostCharacter(char c) {
    return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || c == '.' || c == '-'
        || c == '_' || c == '[' || c == ']' || c == ':';
}

bool hasGoodPort(std::string_view authority) {
    const auto colon = authority.rfind(':');
    const auto bracket = authority.rfind(']');
    if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket))
        return true;
    const auto port = wholeNumber<int>(authority.substr(colon + 1));
    return port && *port > 0 && *port < 65536;
}

bool isControl(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool isHeaderName(std::string_view name) {
    constexpr std::array<std::string_view, 6> own{"host", "content-length", "content-type",
        "accept-encoding", "connection", "transfer-encoding"};
    const bool isWord = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || c == '-' || c == '_';
    });
    return isWord && std::find(own.begin(), own.end(), lowered(name)) == own.end();
}

Error wrong(std::string_view text, std::string_view why) {
    return usageError("\"" + std::string(text) + "\" is no address of a monitoring engine: "
        + std::string(why) + ". Expected is one such as " + std::string(kExample) + ".");
}

} // namespace

Reply replyOf(HttpAnswer answer) {
    if (answer.isTooLarge)
        return trouble(Trouble::TooMuch, ErrorCode::Unreadable,
            "The answer is too large to be held in memory; choose a shorter time, fewer series or "
            "a longer step.");
    if (answer.status != kOk) {
        Reply reply = complaintOf(answer.status, readComplaint(answer.body));
        reply.wireBytes = answer.wireBytes;
        return reply;
    }
    Reply reply;
    reply.body = std::move(answer.body);
    reply.wireBytes = answer.wireBytes;
    return reply;
}

Question::Question(Fetcher& fetcher, HttpRequest request, Patience patience)
    : m_fetcher(fetcher)
    , m_request(std::move(request))
    , m_patience(patience)
    , m_pending(fetcher.ask(m_request)) { }

Result<Reply> Question::wait(const IsCancelled& isCancelled) {
    auto pause = m_patience.first;
    Reply reply;
    for (int attempt = 1;; ++attempt) {
        auto answer = m_pending->wait(isCancelled);
        std::chrono::milliseconds wished{0};
        if (answer.hasValue()) {
            wished = std::chrono::seconds(std::max(0, answer.value().retryAfterSeconds));
            reply = replyOf(std::move(answer).value());
        } else if (answer.error().code == ErrorCode::Cancelled) {
            return answer.error();
        } else {
            reply = {};
            reply.error = answer.error();
            reply.trouble = answer.error().code == ErrorCode::Unreadable ? Trouble::Passing
                                                                         : Trouble::Lasting;
        }
        if (reply.trouble != Trouble::Passing || attempt >= m_patience.tries)
            return reply;
        ASSIGN_OR_RETURN([[maybe_unused]] const bool waited,
            sleepFor(std::min(std::max(pause, wished), m_patience.longest), isCancelled));
        pause *= 2;
        m_pending = m_fetcher.ask(m_request);
    }
}

Result<std::string> askFor(Fetcher& fetcher, HttpRequest request, const IsCancelled& isCancelled) {
    Question question(fetcher, std::move(request));
    ASSIGN_OR_RETURN(auto reply, question.wait(isCancelled));
    if (reply.trouble != Trouble::None)
        return reply.error;
    return std::move(reply.body);
}

std::string Address::host() const {
    const std::string_view rest = std::string_view(url).substr(url.find("//") + 2);
    return std::string(rest.substr(0, rest.find('/')));
}

bool isAddress(std::string_view text) {
    return text.starts_with("prom+http://") || text.starts_with("prom+https://");
}

Result<Address> addressFrom(std::string_view text) {
    const std::string_view whole = trimmed(text);
    std::string_view url = whole;
    if (url.starts_with(kScheme))
        url.remove_prefix(kScheme.size());
    if (!isWebAddress(url))
        return wrong(whole, "it begins with neither prom+http:// nor prom+https://");
    const std::string_view rest = url.substr(url.find("//") + 2);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    if (authority.find('@') != std::string_view::npos) {
        return usageError("Names and passwords do not belong into an address, which is seen and "
                          "kept in many places; use --user and --password-file, or --token-file.");
    }
    if (authority.empty() || !std::all_of(authority.begin(), authority.end(), isHostCharacter)
        || !hasGoodPort(authority))
        return wrong(whole, "it names no host");
    if (rest.find_first_of("?# \"\\") != std::string_view::npos
        || std::any_of(rest.begin(), rest.end(), isControl))
        return wrong(whole, "a query does not belong into it");
    while (url.ends_with('/'))
        url.remove_suffix(1);
    for (const std::string_view api : {"/api/v1", "/api"}) {
        if (url.ends_with(api))
            url.remove_suffix(api.size());
    }
    return Address{std::string(url)};
}

Status checkHeader(std::string_view name, std::string_view value) {
    if (isHeaderName(name) && !value.empty() && std::none_of(value.begin(), value.end(), isControl))
        return {};
    return usageError("A header is given as NAME:VALUE, such as X-Scope-OrgID:team, on one line, "
                      "and is none of HTTP's own.");
}

} // namespace trainscope::importers::engine
