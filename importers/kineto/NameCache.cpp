#include "importers/kineto/NameCache.h"

#include "importers/kineto/JsonText.h"

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{48} << 20;

} // namespace

Result<NameId> NameCache::remember(std::string_view key, std::string_view text) {
    auto id = m_sink.intern(text);
    if (!id.hasValue())
        return id;
    m_bytes += key.size() + sizeof(std::string) + 4 * sizeof(void*);
    if (m_bytes > kMaxBytes) {
        m_ids.clear();
        m_bytes = 0;
    }
    m_ids.emplace(key, id.value());
    return id;
}

Result<NameId> NameCache::name(const JsonToken& token) {
    if (token.isPlain)
        return text(token.text);
    // Escaped texts are kept apart from plain ones by a prefix that no plain text has.
    m_storage.assign(1, '\0').append(token.text);
    if (const auto found = m_ids.find(m_storage); found != m_ids.end())
        return found->second;
    std::string plain;
    appendUnescaped(token.text, plain);
    return remember(m_storage, plain);
}

Result<NameId> NameCache::text(std::string_view text) {
    if (const auto found = m_ids.find(text); found != m_ids.end())
        return found->second;
    return remember(text, text);
}

} // namespace trainscope::importers::kineto
