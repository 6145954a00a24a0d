#pragma once
// RemoteSources: sources of `import` that are no files. A program with a network stack gives one
// (app/drawing/EngineSources.cpp); one without it reads files alone.

#include "app/cli/commands/ImportJob.h"

namespace CLI {
class App;
}

namespace trainscope::cli {

class RemoteSources {
public:
    RemoteSources() = default;
    RemoteSources(const RemoteSources&) = delete;
    RemoteSources& operator=(const RemoteSources&) = delete;
    virtual ~RemoteSources() = default;

    // Options beside the address; their values are kept until the import runs.
    virtual void addOptions(CLI::App& command) = 0;
    // The part of the help that is about them, before the examples; and their examples.
    [[nodiscard]] virtual const char* help() const = 0;
    [[nodiscard]] virtual const char* examples() const = 0;
    // Usage for options without an address, those of files with one, addresses beside files, and a
    // time that is missing.
    [[nodiscard]] virtual Status check(const ImportRequest& request) const = 0;
    // Fails as runImportJob() does, or where nothing could be had.
    [[nodiscard]] virtual Result<ImportOutcome> run(
        const ImportRequest& request, const Console& console) const = 0;
};

} // namespace trainscope::cli
