#include "importers/perfetto/ChromeTree.h"

#include "core/model/Try.h"
#include "importers/common/ReadAhead.h"

namespace trainscope::importers::perfetto {

Result<std::shared_ptr<TraceScan>> ChromeTree::scan() const {
    if (!m_scan) {
        ASSIGN_OR_RETURN(m_scan, scanTrace(m_inner, m_path, m_phase, m_progress));
    }
    return m_scan;
}

Result<std::unique_ptr<ByteStream>> ChromeTree::openRaw(const std::string& path) const {
    if (path != m_path)
        return m_inner.openRaw(path);
    ASSIGN_OR_RETURN(auto found, scan());
    ASSIGN_OR_RETURN(auto stream, m_inner.open(path));
    // The text is made while what is before it is understood.
    return std::unique_ptr<ByteStream>(std::make_unique<ReadAhead>(
        std::make_unique<ChromeText>(std::move(stream), m_inner.sizeOf(path), std::move(found))));
}

} // namespace trainscope::importers::perfetto
