#include "app/cli/serve/HttpServer.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <charconv>
#include <memory>
#include <optional>

#include <unistd.h>

namespace trainscope::cli {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr int kMostConnections = 64; // a browser opens six
constexpr std::uint32_t kLargestRequest = 16384; // bytes
constexpr std::chrono::seconds kLongestWait{10}; // for the first request
constexpr std::chrono::seconds kLongestPause{60}; // for the next one
constexpr std::chrono::seconds kLongestAnswer{120}; // until a client has read one
constexpr std::chrono::milliseconds kGlance{25};

bool isSame(std::string_view a, std::string_view b) { // in the same time, wherever they differ
    unsigned difference = a.size() == b.size() ? 0U : 1U;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const auto one = static_cast<unsigned char>(i < a.size() ? a[i] : '\0');
        difference |= unsigned{one} ^ unsigned { static_cast<unsigned char>(b[i]) };
    }
    return difference == 0;
}

bool isThisMachine(std::string_view host) {
    const std::size_t port = host.rfind(':');
    if (port != host.npos && host.find_first_not_of("0123456789", port + 1) == host.npos)
        host = host.substr(0, port);
    return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        const char* const end = text.data() + std::min(i + 3, text.size());
        if (text[i] == '%'
            && std::from_chars(text.data() + i + 1, end, byte, 16).ptr == text.data() + i + 3) {
            plain += static_cast<char>(byte);
            i += 2;
        } else {
            plain += text[i] == '+' ? ' ' : text[i];
        }
    }
    return plain;
}

// Absent: without the token.
std::optional<HttpRequest> requestOf(std::string_view target, const std::string& token) {
    const std::string_view path = target.substr(0, target.find('?'));
    const std::string_view given = path.substr(0, token.size() + 2);
    if (!isSame(given, "/" + token + "/"))
        return std::nullopt;
    HttpRequest request{std::string(path.substr(given.size())), {}};
    std::string_view rest = target.substr(std::min(path.size() + 1, target.size()));
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find('&'));
        const std::size_t sign = std::min(one.find('='), one.size());
        request.query.emplace_back(
            decoded(one.substr(0, sign)), decoded(one.substr(std::min(sign + 1, one.size()))));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
    return request;
}

struct Threads {
    const HttpSite& site;
    std::atomic<int> connections = 0;
    asio::io_context io{1};
    asio::thread_pool quick{1};
    asio::thread_pool slow{1};
};

class Connection final : public std::enable_shared_from_this<Connection> {
public:
    Connection(Threads& threads, Tcp::socket socket)
        : m_threads(threads)
        , m_stream(std::move(socket)) {
        ++m_threads.connections;
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { --m_threads.connections; }

    void read(std::chrono::seconds longest = kLongestWait) {
        m_parser.emplace();
        m_parser->header_limit(kLargestRequest);
        m_stream.expires_after(longest);
        http::async_read_header(m_stream, m_buffer, *m_parser,
            [self = shared_from_this()](const error_code& failed, std::size_t) {
                if (!failed)
                    self->take();
            });
    }

private:
    void take() {
        const auto& head = m_parser->get();
        m_isKept = head.keep_alive() && m_parser->is_done(); // it has no body
        const auto host = head[http::field::host];
        const auto target = head.target();
        const auto request = isThisMachine({host.data(), host.size()})
            ? requestOf({target.data(), target.size()}, m_threads.site.token)
            : std::nullopt;
        if (!request)
            return write({403, {}, "text/plain"});
        if (head.method() != http::verb::get)
            return write({405, "Only GET is answered.", "text/plain"});
        auto& pool = m_threads.site.isSlow(*request) ? m_threads.slow : m_threads.quick;
        m_stream.expires_never();
        asio::post(pool, [self = shared_from_this(), asked = *request]() mutable {
            Threads& threads = self->m_threads;
            asio::post(threads.io,
                [answer = threads.site.answer(asked), self = std::move(self)]() mutable {
                    self->write(std::move(answer));
                });
        });
    }

    void write(HttpAnswer answer) {
        m_answer = {};
        m_answer.result(answer.status);
        m_answer.set(http::field::content_type, answer.type);
        m_answer.set("Content-Security-Policy", answer.policy);
        m_answer.set(http::field::cache_control, "no-store");
        m_answer.set("X-Content-Type-Options", "nosniff");
        m_answer.set("Referrer-Policy", "no-referrer");
        m_answer.set("Cross-Origin-Resource-Policy", "same-origin");
        m_answer.set("Cross-Origin-Opener-Policy", "same-origin");
        if (answer.status == 405)
            m_answer.set(http::field::allow, "GET");
        m_answer.body() = std::move(answer.body);
        m_answer.keep_alive(m_isKept && answer.status == 200);
        m_answer.prepare_payload();
        m_stream.expires_after(kLongestAnswer);
        http::async_write(
            m_stream, m_answer, [self = shared_from_this()](const error_code& failed, std::size_t) {
                self->m_answer.body().clear();
                if (!failed && self->m_answer.keep_alive())
                    self->read(kLongestPause);
                else
                    self->close();
            });
    }

    void close() {
        error_code ignored; // the client has gone
        m_stream.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    }

    Threads& m_threads;
    beast::tcp_stream m_stream;
    beast::flat_buffer m_buffer{kLargestRequest};
    std::optional<http::request_parser<http::empty_body>> m_parser;
    http::response<http::string_body> m_answer;
    bool m_isKept = false;
};

class Listener {
public:
    explicit Listener(Threads& threads)
        : m_threads(threads)
        , m_acceptor(threads.io)
        , m_clock(threads.io) { }

    Status listen(std::uint16_t port) {
        error_code failed;
        const Tcp::endpoint place(asio::ip::address_v4::loopback(), port);
        m_acceptor.open(place.protocol(), failed);
        if (!failed)
            m_acceptor.set_option(Tcp::acceptor::reuse_address(true), failed);
        if (!failed)
            m_acceptor.bind(place, failed);
        if (!failed)
            m_acceptor.listen(kMostConnections, failed);
        if (!failed)
            return {};
        return usageError(fmt::format(
            "Port {} of this machine cannot be taken ({}). Leave --port out for one that is free, "
            "or name another.",
            port, failed.message()));
    }
    [[nodiscard]] std::uint16_t port() const { return m_acceptor.local_endpoint().port(); }

    void accept() {
        m_acceptor.async_accept([this](const error_code& failed, Tcp::socket socket) {
            if (!failed && m_threads.connections < kMostConnections)
                std::make_shared<Connection>(m_threads, std::move(socket))->read();
            if (failed != asio::error::operation_aborted)
                accept();
        });
    }
    void watch() {
        if (!m_threads.site.goesOn())
            return m_threads.io.stop();
        m_clock.expires_after(kGlance);
        m_clock.async_wait([this](const error_code&) { watch(); });
    }

private:
    Threads& m_threads;
    Tcp::acceptor m_acceptor;
    asio::steady_timer m_clock;
};

} // namespace

std::string randomToken() {
    std::array<unsigned char, 24> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0)
        return {};
    std::string token;
    for (const unsigned char byte : bytes)
        token += fmt::format("{:02x}", byte);
    return token;
}

Status serveLoopback(std::uint16_t port, const HttpSite& site) {
    if (site.token.empty())
        return Error{ErrorCode::Internal, "The system gives no random numbers for a token.", {}};
    Threads threads{.site = site};
    Listener listener(threads);
    if (Status listening = listener.listen(port); !listening.hasValue())
        return listening;
    site.started(listener.port());
    listener.accept();
    listener.watch();
    threads.io.run();
    threads.quick.stop();
    threads.slow.stop();
    threads.quick.join();
    threads.slow.join();
    return {};
}

} // namespace trainscope::cli
