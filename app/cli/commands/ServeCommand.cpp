#include "app/cli/commands/Command.h"
#include "app/cli/page/PagePack.h"
#include "app/cli/serve/ServedPage.h"

namespace trainscope::cli {

namespace {

struct ServeOptions : DatabaseOptions {
    std::uint16_t port = 0; // one that is free
};

Outcome serveDatabase(const ServeOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto program, pageProgram());
    if (const auto tried = openDatabase(options.database); !tried.hasValue())
        return tried.error(); // before a link is told
    ServedPage page(std::move(program), options.database, untilCancelled(console));
    HttpSite site;
    site.token = randomToken();
    site.answer = [&page](const HttpRequest& request) { return page.answer(request); };
    site.isSlow = &ServedPage::isSlow;
    site.goesOn = [&console] { return !console.isCancelled(); };
    site.started = [&](std::uint16_t port) {
        console.out() << fmt::format("http://127.0.0.1:{}/{}/\n", port, site.token) << std::flush;
        console.err() << fmt::format("Open the link in a browser of this machine; from another one "
                                     "run there first\n  ssh -N -L {0}:127.0.0.1:{0} {1}\nWhoever "
                                     "has the link reads the database. Ctrl+C ends it.\n",
            port, hostName())
                      << std::flush;
    };
    RETURN_IF_ERROR(serveLoopback(options.port, site));
    return ExitStatus::Done;
}

} // namespace

void addServeCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<ServeOptions>(app, "serve",
        "Show the runs in a browser: the page of `page`, read as it is needed", {"export#serve"});
    addOption(
        *command, "--port", options->port, "Take this port; one that is free unless given", "N")
        ->check(CLI::Range(1, 65535));
    runs(*command, context, options, serveDatabase);
}

} // namespace trainscope::cli
