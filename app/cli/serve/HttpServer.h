#pragma once
// HTTP on the loopback interface, for those who know the token in the link. Only GET, and only
// under a host name of this machine, so that no other page of a browser reaches it (DNS rebinding);
// all else is refused without a word on what there is. Bounded: connections, their number of
// requests at a time (one), the size of a request, the time that a client may take.

#include "core/model/Result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::cli {

struct HttpRequest {
    std::string name; // behind the token: "tables"; empty: the page itself
    std::vector<std::pair<std::string, std::string>> query;
};

struct HttpAnswer {
    unsigned status = 200;
    std::string body;
    const char* type = "application/octet-stream";
    const char* policy = "default-src 'none'; frame-ancestors 'none'"; // Content-Security-Policy
};

struct HttpSite {
    std::string token;
    // Called by one of two threads, which the second function chooses: slow answers keep none of
    // the others waiting.
    std::function<HttpAnswer(const HttpRequest&)> answer;
    std::function<bool(const HttpRequest&)> isSlow;
    std::function<void(std::uint16_t port)> started;
    std::function<bool()> goesOn; // asked every now and then
};

// 192 random bits of the system as hexadecimal digits.
std::string randomToken();

// Serves until the site goes on no more. Port 0: one that is free. Usage where the port is taken.
Status serveLoopback(std::uint16_t port, const HttpSite& site);

} // namespace trainscope::cli
