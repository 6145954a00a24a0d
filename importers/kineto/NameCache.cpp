#include "importers/kineto/NameCache.h"

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{48} << 20;

} // namespace

Result<NameId> NameCache::text(std::string_view text) {
    if (const auto found = m_ids.find(text); found != m_ids.end())
        return found->second;
    auto id = m_sink.intern(text);
    if (!id.hasValue())
        return id;
    m_bytes += text.size() + sizeof(std::string) + 4 * sizeof(void*);
    if (m_bytes > kMaxBytes) {
        m_ids.clear();
        m_bytes = 0;
    }
    m_ids.emplace(text, id.value());
    return id;
}

} // namespace trainscope::importers::kineto
