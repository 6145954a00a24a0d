#pragma once
// A tree in which one Perfetto trace is Chrome's text, for importers that read such. The trace is
// scanned when it is opened first. One thread.

#include "importers/perfetto/ChromeText.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::importers::perfetto {

class ChromeTree final : public SourceTree {
public:
    ChromeTree(const SourceTree& inner, std::string path, std::string phase, Progress progress)
        : m_inner(inner)
        , m_path(std::move(path))
        , m_phase(std::move(phase))
        , m_progress(std::move(progress)) { }

    Result<std::shared_ptr<TraceScan>> scan() const;

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_inner.files(); }
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override;
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_inner.displayPath(path);
    }

private:
    const SourceTree& m_inner;
    std::string m_path;
    std::string m_phase;
    Progress m_progress;
    mutable std::shared_ptr<TraceScan> m_scan;
};

} // namespace trainscope::importers::perfetto
