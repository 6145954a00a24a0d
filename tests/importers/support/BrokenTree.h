#pragma once
// A tree whose files can be read up to a point and then fail, as a dying disk or a vanished network
// share does.

#include "importers/common/Source.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

class BrokenStream final : public importers::ByteStream {
public:
    BrokenStream(std::unique_ptr<importers::ByteStream> inner, std::size_t good, std::string where)
        : m_inner(std::move(inner))
        , m_left(good)
        , m_where(std::move(where)) { }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        if (m_left == 0)
            return Error{ErrorCode::Unreadable, "Reading failed (Input/output error).", m_where};
        const auto count = m_inner->read(buffer.first(std::min(buffer.size(), m_left)));
        if (count.hasValue())
            m_left -= count.value();
        return count;
    }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_inner->bytesConsumed(); }

private:
    std::unique_ptr<importers::ByteStream> m_inner;
    std::size_t m_left;
    std::string m_where;
};

// Every file fails after its first `goodBytes` bytes; with 0 it cannot even be opened.
class BrokenTree final : public importers::SourceTree {
public:
    BrokenTree(std::vector<std::pair<std::string, std::string>> files, std::size_t goodBytes)
        : m_inner(importers::memoryTree(std::move(files)))
        , m_good(goodBytes) { }

    [[nodiscard]] const std::vector<importers::SourceFile>& files() const override {
        return m_inner->files();
    }
    [[nodiscard]] Result<std::unique_ptr<importers::ByteStream>> openRaw(
        const std::string& path) const override {
        if (m_good == 0)
            return Error{
                ErrorCode::Unreadable, "The file cannot be opened (Permission denied).", path};
        auto inner = m_inner->openRaw(path);
        if (!inner.hasValue())
            return inner;
        return std::unique_ptr<importers::ByteStream>(
            std::make_unique<BrokenStream>(std::move(inner).value(), m_good, path));
    }
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_inner->displayPath(path);
    }

private:
    std::unique_ptr<importers::SourceTree> m_inner;
    std::size_t m_good;
};

} // namespace trainscope::test
