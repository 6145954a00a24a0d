#pragma once
// A tree that hashes what is read through it, so that a source's hash costs no second reading:
// importers read their files from front to end anyway. A file that was not read to its end is read
// once more.
//
// The hash of a unit is XXH3-128, in hex, over each of its files in order of their paths: name
// below the unit's folder, a zero byte, size (8 bytes, little endian) and the XXH3-128 (canonical)
// of its bytes on disk.

#include "importers/common/Importer.h"

namespace trainscope::importers {

// Thread-safe as the tree below it is. The tree must outlive it.
class HashingTree final : public SourceTree {
public:
    explicit HashingTree(const SourceTree& inner);
    ~HashingTree() override;

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_inner.files(); }
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override;
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_inner.displayPath(path);
    }
    [[nodiscard]] std::string localPath(const std::string& path) const override {
        return m_inner.localPath(path);
    }
    [[nodiscard]] Allowance allowanceOf(const std::string& path) const override {
        return m_inner.allowanceOf(path);
    }

    [[nodiscard]] Result<std::string> hashOf(
        const ImportUnit& unit, const Progress& progress) const;

private:
    struct Digests;
    [[nodiscard]] Status readToEnd(
        const std::string& path, const ImportUnit& unit, const Progress& progress) const;

    const SourceTree& m_inner;
    std::shared_ptr<Digests> m_digests;
};

} // namespace trainscope::importers
