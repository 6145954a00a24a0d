#pragma once
// A tree of which long files give parts only: what telemetry shows of its GPUs and its time does
// not take all of it.

#include "importers/common/Source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trainscope::importers {

// Excerpts of files, whole lines of text. Of a file that is not compressed they are its begin and
// the parts at these places; of a compressed one, which has to be unpacked to its end, the begin,
// every sixteenth part and the end. A file that is one JSON document stays whole, since a part of
// it is none. The tree must outlive it.
class Excerpts final : public SourceTree {
public:
    struct Parts {
        std::uint64_t bytes = 0; // of each
        std::vector<double> places; // of their middles in the file, 0 to 1, ascending
    };
    Excerpts(const SourceTree& inner, Parts parts);

    [[nodiscard]] const std::vector<SourceFile>& files() const override;
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override;
    [[nodiscard]] std::string displayPath(const std::string& path) const override;
    [[nodiscard]] Allowance allowanceOf(const std::string& path) const override;

private:
    const SourceTree& m_inner;
    Parts m_parts;
};

} // namespace trainscope::importers
