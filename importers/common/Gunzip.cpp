#include "importers/common/CompressedInput.h"
#include "importers/common/Decompress.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace trainscope::importers {

namespace {

class GunzipStream final : public ByteStream {
public:
    GunzipStream(std::unique_ptr<ByteStream> raw, std::string where)
        : m_input(std::move(raw))
        , m_where(std::move(where)) {
        isal_inflate_init(&m_inflate);
        m_inflate.crc_flag = ISAL_GZIP;
    }

    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_input.bytesTaken(); }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        std::size_t made = 0;
        while (made < buffer.size() && !m_ended && !m_failure) {
            auto more = m_input.fill();
            if (!more.hasValue()) {
                m_failure = more.error();
                break;
            }
            // Without input there may still be output that had no room before.
            const std::size_t count
                = more.value() || m_insideMember ? inflateSome(buffer.subspan(made)) : 0;
            made += count;
            if (!more.value() && count == 0 && !m_ended)
                endOfInput();
        }
        if (made == 0 && m_failure)
            return *m_failure;
        return made;
    }

private:
    // Between members nothing is missing; inside one the rest is.
    void endOfInput() {
        if (m_insideMember)
            fail("the gzip data end before they are complete: the file was cut short. Copy it "
                 "again.");
        m_ended = true;
    }

    std::size_t inflateSome(std::span<std::byte> out) {
        const auto in = m_input.left();
        const std::size_t room
            = std::min<std::size_t>(out.size(), std::numeric_limits<std::uint32_t>::max());
        m_inflate.next_in = reinterpret_cast<std::uint8_t*>(in.data());
        m_inflate.avail_in = static_cast<std::uint32_t>(in.size());
        m_inflate.next_out = reinterpret_cast<std::uint8_t*>(out.data());
        m_inflate.avail_out = static_cast<std::uint32_t>(room);
        m_insideMember = true;
        const int state = isal_inflate(&m_inflate);
        m_input.take(in.size() - m_inflate.avail_in);
        const std::size_t made = room - m_inflate.avail_out;
        m_memberBytes += made;
        if (state < 0 || state == ISAL_NEED_DICT)
            brokenMember();
        else if (m_inflate.block_state == ISAL_BLOCK_FINISH)
            endOfMember();
        return made;
    }

    void endOfMember() {
        m_insideMember = false;
        ++m_members;
        m_memberBytes = 0;
        if (auto ensured = m_input.ensure(kMagicBytes); !ensured.hasValue()) {
            m_failure = ensured.error();
            return;
        }
        const auto next = m_input.left();
        const std::string_view head(reinterpret_cast<const char*>(next.data()), next.size());
        m_ended = compressionOf(head) != Compression::Gzip;
        isal_inflate_reset(&m_inflate);
        m_inflate.crc_flag = ISAL_GZIP;
    }

    // What only looks like a further member is garbage behind the last one.
    void brokenMember() {
        m_ended = true;
        if (m_members == 0 || m_memberBytes > 0)
            fail("the gzip data are damaged; what came before the damage was read. Copy the file "
                 "again.");
    }

    void fail(const char* what) { m_failure = Error{ErrorCode::Unreadable, what, m_where}; }

    CompressedInput m_input;
    std::string m_where;
    inflate_state m_inflate{};
    bool m_insideMember = false;
    bool m_ended = false;
    std::uint64_t m_members = 0;
    std::uint64_t m_memberBytes = 0;
    std::optional<Error> m_failure;
};

} // namespace

Compression compressionOf(std::string_view head) {
    const auto byte = [head](std::size_t i) { return i < head.size() ? head[i] & 0xFF : -1; };
    if (byte(0) == 0x1F && byte(1) == 0x8B)
        return Compression::Gzip;
    const bool zstdFrame = byte(0) == 0x28 && byte(1) == 0xB5 && byte(2) == 0x2F && byte(3) == 0xFD;
    const bool skippable
        = (byte(0) & 0xF0) == 0x50 && byte(1) == 0x2A && byte(2) == 0x4D && byte(3) == 0x18;
    return zstdFrame || skippable ? Compression::Zstd : Compression::None;
}

Result<std::unique_ptr<ByteStream>> gunzip(
    std::unique_ptr<ByteStream> raw, const std::string& where) {
    return std::unique_ptr<ByteStream>(std::make_unique<GunzipStream>(std::move(raw), where));
}

} // namespace trainscope::importers
