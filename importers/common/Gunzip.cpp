#include "importers/common/CompressedInput.h"
#include "importers/common/Decompress.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;

class GunzipStream final : public ByteStream {
public:
    GunzipStream(std::unique_ptr<ByteStream> raw, std::string where)
        : m_input(std::move(raw))
        , m_where(std::move(where)) {
        m_ready = inflateInit2(&m_zlib, kGzipOnly) == Z_OK;
    }
    ~GunzipStream() override { inflateEnd(&m_zlib); }

    [[nodiscard]] bool isReady() const { return m_ready; }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_input.bytesTaken(); }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        std::size_t made = 0;
        while (made < buffer.size() && !m_ended && !m_failure) {
            if (auto more = m_input.fill(); !more.hasValue())
                m_failure = more.error();
            else if (!more.value())
                endOfInput();
            else
                made += inflateSome(buffer.subspan(made));
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
            = std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max());
        m_zlib.next_in = reinterpret_cast<Bytef*>(in.data());
        m_zlib.avail_in = static_cast<uInt>(in.size());
        m_zlib.next_out = reinterpret_cast<Bytef*>(out.data());
        m_zlib.avail_out = static_cast<uInt>(room);
        m_insideMember = true;
        const int state = inflate(&m_zlib, Z_NO_FLUSH);
        m_input.take(in.size() - m_zlib.avail_in);
        const std::size_t made = room - m_zlib.avail_out;
        m_memberBytes += made;
        if (state == Z_STREAM_END)
            endOfMember();
        else if (state != Z_OK && state != Z_BUF_ERROR)
            brokenMember();
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
        if (compressionOf(head) != Compression::Gzip || inflateReset(&m_zlib) != Z_OK)
            m_ended = true;
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
    z_stream m_zlib{};
    bool m_ready = false;
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
    auto stream = std::make_unique<GunzipStream>(std::move(raw), where);
    if (!stream->isReady())
        return Error{
            ErrorCode::Internal, "There is not enough memory to decompress this file.", where};
    return std::unique_ptr<ByteStream>(std::move(stream));
}

} // namespace trainscope::importers
