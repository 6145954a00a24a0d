#include "importers/common/CompressedInput.h"
#include "importers/common/Decompress.h"

#include <zstd.h>

#include <optional>
#include <utility>

namespace trainscope::importers {

namespace {

class UnzstdStream final : public ByteStream {
public:
    UnzstdStream(std::unique_ptr<ByteStream> raw, std::string where)
        : m_input(std::move(raw))
        , m_where(std::move(where))
        , m_zstd(ZSTD_createDStream()) { }
    ~UnzstdStream() override { ZSTD_freeDStream(m_zstd); }

    [[nodiscard]] bool isReady() const { return m_zstd != nullptr; }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_input.bytesTaken(); }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        std::size_t made = 0;
        while (made < buffer.size() && !m_ended && !m_failure) {
            auto more = m_input.fill();
            if (!more.hasValue())
                m_failure = more.error();
            else
                made += decompressSome(buffer.subspan(made), more.value());
        }
        if (made == 0 && m_failure)
            return *m_failure;
        return made;
    }

private:
    std::size_t decompressSome(std::span<std::byte> out, bool hasInput) {
        const auto left = m_input.left();
        ZSTD_inBuffer in{left.data(), left.size(), 0};
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        if (!hasInput && !m_insideFrame) {
            m_ended = true;
            return 0;
        }
        m_insideFrame = true;
        const std::size_t state = ZSTD_decompressStream(m_zstd, &to, &in);
        m_input.take(in.pos);
        m_frameBytes += to.pos;
        if (ZSTD_isError(state) != 0)
            brokenFrame(state);
        else if (state == 0)
            endOfFrame();
        else if (!hasInput && to.pos == 0)
            fail("the zstd data end before they are complete: the file was cut short. Copy it "
                 "again.");
        return to.pos;
    }

    void endOfFrame() {
        m_insideFrame = false;
        ++m_frames;
        m_frameBytes = 0;
        if (auto ensured = m_input.ensure(kMagicBytes); !ensured.hasValue()) {
            m_failure = ensured.error();
            return;
        }
        const auto next = m_input.left();
        const std::string_view head(reinterpret_cast<const char*>(next.data()), next.size());
        m_ended = compressionOf(head) != Compression::Zstd;
    }

    // What only looks like a further frame is garbage behind the last one.
    void brokenFrame(std::size_t state) {
        m_ended = true;
        if (m_frames == 0 || m_frameBytes > 0)
            fail(std::string("the zstd data are damaged (") + ZSTD_getErrorName(state)
                + "); what came before the damage was read. Copy the file again.");
    }

    void fail(std::string what) {
        m_failure = Error{ErrorCode::Unreadable, std::move(what), m_where};
    }

    CompressedInput m_input;
    std::string m_where;
    ZSTD_DStream* m_zstd = nullptr;
    bool m_insideFrame = false;
    bool m_ended = false;
    std::uint64_t m_frames = 0;
    std::uint64_t m_frameBytes = 0;
    std::optional<Error> m_failure;
};

} // namespace

Result<std::unique_ptr<ByteStream>> unzstd(
    std::unique_ptr<ByteStream> raw, const std::string& where) {
    auto stream = std::make_unique<UnzstdStream>(std::move(raw), where);
    if (!stream->isReady())
        return Error{
            ErrorCode::Internal, "There is not enough memory to decompress this file.", where};
    return std::unique_ptr<ByteStream>(std::move(stream));
}

} // namespace trainscope::importers
