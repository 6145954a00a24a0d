// Columns come back bit for bit, whatever they hold, in about the bytes that their spread asks for;
// bytes that end early are refused.

#include "core/store/codec/IntColumn.h"
#include "core/store/codec/TimeCodec.h"
#include "core/store/codec/ValueCodec.h"
#include "support/TestProgram.h"

#include <charconv>

using namespace trainscope::store;

namespace {

using Ints = std::vector<std::int64_t>;

std::size_t sizeOf(const Ints& values) {
    Bytes bytes;
    encodeInts(values, bytes, Squeeze::No);
    return bytes.size();
}

bool comesBack(const Ints& values, Squeeze squeeze) {
    Bytes bytes;
    encodeInts(values, bytes, squeeze);
    Ints out(values.size());
    ByteReader in(bytes);
    return decodeInts(in, out) && in.left() == 0 && out == values;
}

// Columns of many shapes: the number chooses what the values do.
Ints column(int shape, std::size_t count, std::mt19937_64& random) {
    Ints values;
    std::uint64_t x = random();
    std::uint64_t step = random() % 1000;
    const unsigned width = static_cast<unsigned>(random() % 64) + 1;
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t noise = random() & mask;
        switch (shape) {
        case 0:
            x = noise;
            break;
        case 1:
            x += noise;
            break;
        case 2:
            x += step += noise % 7;
            break;
        case 3:
            x = 1'700'000'000'000'000'000U + i * 100'000'000U + noise % 1'000'000;
            break;
        case 4:
            x = random() % 50 == 0 ? noise : 100;
            break;
        case 5:
            x -= random() % 60 == 0 ? noise : 3;
            break;
        case 6:
            x = 5U + noise * 12345U;
            break;
        default:
            break; // constant
        }
        values.push_back(static_cast<std::int64_t>(x));
    }
    return values;
}

// The stamp of a double of Unix seconds, as text of the given kind gives it.
std::int64_t stampOf(double seconds, bool fewest) {
    std::array<char, 64> text{};
    const auto written = fewest
        ? std::to_chars(text.begin(), text.end(), seconds, std::chars_format::fixed)
        : std::to_chars(text.begin(), text.end(), seconds, std::chars_format::fixed, 7);
    std::string digits(text.begin(), written.ptr);
    const std::size_t point = digits.find('.');
    std::string fraction = point == std::string::npos ? std::string() : digits.substr(point + 1);
    fraction.resize(9, '0');
    return std::stoll(digits.substr(0, point)) * 1'000'000'000 + std::stoll(fraction);
}

} // namespace

class tst_Codecs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void integersComeBack() {
        std::mt19937_64 random(1);
        for (int shape = 0; shape < 8; ++shape) {
            for (const std::size_t count :
                {1U, 2U, 3U, 4U, 255U, 256U, 257U, 511U, 512U, 5000U, 16384U}) {
                for (int trial = 0; trial < 12; ++trial) {
                    const Ints values = column(shape, count, random);
                    QVERIFY(comesBack(values, Squeeze::No));
                    QVERIFY(comesBack(values, Squeeze::IfMuchSmaller));
                    QVERIFY(comesBack(values, Squeeze::Repeating));
                }
            }
        }
    }

    void multiplesCostAsMuchAsTheirMultipliers() {
        std::mt19937_64 random(4);
        for (const std::int64_t divisor :
            {2LL, 3LL, 6LL, 1'000LL, 1LL << 40, 3LL << 40, 999'999'999'989LL}) {
            Ints multipliers;
            Ints multiples;
            for (int i = 0; i < 1'000; ++i) {
                multipliers.push_back(static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000);
                multiples.push_back(multipliers.back() * divisor);
            }
            QVERIFY(comesBack(multiples, Squeeze::No));
            QVERIFY(sizeOf(multiples) < sizeOf(multipliers) + 24);
        }
        QVERIFY(comesBack({INT64_MIN, 0, INT64_MIN, 0}, Squeeze::No));
    }

    void everyWidthPacks() {
        std::mt19937_64 random(2);
        for (unsigned width = 0; width <= 64; ++width) {
            std::array<std::uint64_t, kBlock> values{};
            for (std::uint64_t& value : values)
                value = width == 0 ? 0 : random() >> (64 - width);
            Bytes packed(blockBytes(width));
            packBlock(values.data(), width, packed.data());
            std::array<std::uint64_t, kBlock> back{};
            unpackBlock(packed.data(), width, 77, back.data());
            for (std::size_t i = 0; i < kBlock; ++i)
                QCOMPARE(back[i], values[i] + 77);
            for (const std::size_t count : {0U, 1U, 7U, 255U}) {
                const auto some = std::span(values).first(count);
                Bytes tail(tailBytes(count, width));
                packTail(some, width, tail.data());
                std::vector<std::uint64_t> out(count);
                unpackTail(tail, width, 77, out);
                for (std::size_t i = 0; i < count; ++i)
                    QCOMPARE(out[i], values[i] + 77);
            }
        }
    }

    void sizeFollowsTheSpread() {
        std::mt19937_64 random(3);
        Ints constant(16384, 2619);
        QVERIFY(sizeOf(constant) < 200);
        // Steps of 10 bits, and little more.
        Ints walk{0};
        for (int i = 1; i < 16384; ++i)
            walk.push_back(walk.back() + static_cast<std::int64_t>(random() % 1000));
        QVERIFY(sizeOf(walk) < 16384 * 10 / 8 + 400);
        // A multiple of 100 ns costs as much as its multiplier.
        Ints grid;
        for (const std::int64_t value : walk)
            grid.push_back(1'700'000'000'000'000'000 + value * 100);
        QVERIFY(sizeOf(grid) < sizeOf(walk) + 16);
        // A clock that ticks evenly, with jitter that does not add up, costs twice its jitter: 11
        // bits.
        Ints clock;
        for (int i = 0; i < 16384; ++i)
            clock.push_back(i * 100'000'003LL + static_cast<std::int64_t>(random() % 1000));
        QVERIFY(sizeOf(clock) < 16384 * 11 / 8 + 800);
    }

    // Columns that are no longer written, by the format in IntColumn.h.
    void whatEarlierVersionsWrote() {
        const auto decoded = [](const Bytes& bytes, std::size_t count) {
            ByteReader in(bytes);
            Ints out(count);
            if (!decodeInts(in, out) || in.left() > 0)
                out.clear();
            return out;
        };
        Bytes second;
        ByteWriter writer(second);
        writer.u8(2);
        writer.signedVarint(100); // base
        writer.signedVarint(5); // d(-1); each further difference is 2 more
        writer.u8(0);
        writer.signedVarint(2);
        QCOMPARE(decoded(second, 3), (Ints{107, 116, 127}));

        const std::array<std::uint64_t, 3> bits{1, 0, 1};
        Bytes line;
        ByteWriter lineWriter(line);
        lineWriter.u8(3);
        lineWriter.signedVarint(100);
        lineWriter.varint(3U << 16U); // 3 a value
        lineWriter.u8(1);
        lineWriter.signedVarint(0);
        Bytes packed(tailBytes(3, 1));
        packTail(bits, 1, packed.data());
        lineWriter.raw(packed);
        QCOMPARE(decoded(line, 3), (Ints{101, 103, 107}));

        Bytes patched;
        ByteWriter patchWriter(patched);
        patchWriter.u8(0);
        patchWriter.signedVarint(0);
        patchWriter.u8(1 | 0x80U); // width
        patchWriter.signedVarint(10);
        patchWriter.u8(1); // patches
        patchWriter.u8(4); // their width
        patchWriter.u8(7); // position
        const std::array<std::uint64_t, 1> patch{zigzag(5)};
        packed.assign(tailBytes(1, 4), 0);
        packTail(patch, 4, packed.data());
        patchWriter.raw(packed);
        std::array<std::uint64_t, kBlock> ones{};
        ones.fill(1);
        packed.assign(blockBytes(1), 0);
        packBlock(ones.data(), 1, packed.data());
        patchWriter.raw(packed);
        Ints expected(kBlock, 11);
        expected[7] = 11 + (5 << 1);
        QCOMPARE(decoded(patched, kBlock), expected);
    }

    void clockTicksComeBack() {
        std::mt19937_64 random(4);
        for (const bool fewest : {false, true}) {
            Ints stamps;
            double seconds = 1'735'689'600.0;
            for (int i = 0; i < 10'000; ++i) {
                seconds += 0.1 + static_cast<double>(random() % 1'000'000) * 1e-9;
                // Half of them on coarse binary fractions, where roundings tie.
                const double stamp = i % 2 == 0 ? seconds : std::floor(seconds * 512.0) / 512.0;
                stamps.push_back(stampOf(stamp, fewest));
            }
            std::sort(stamps.begin(), stamps.end());
            Bytes bytes;
            encodeTimes(stamps, bytes);
            QCOMPARE(int{bytes[0]}, fewest ? 2 : 1);
            Ints out(stamps.size());
            QVERIFY(decodeTimes(bytes, {}, out));
            QCOMPARE(out, stamps);
        }
    }

    void timesBesideOthers() {
        std::mt19937_64 random(5);
        Ints base;
        Ints beside;
        for (int i = 0; i < 9'000; ++i) {
            const std::int64_t stamp = 1'700'000'000'000'000'000 + i * 100'000'000LL
                + static_cast<std::int64_t>(random() % 20'000'000);
            base.push_back(stamp);
            beside.push_back(stamp + 5'000 + static_cast<std::int64_t>(random() % 1000));
        }
        Bytes own;
        encodeTimes(base, own);
        QVERIFY(isWorthBeside(beside, base));
        Bytes relative;
        QVERIFY(encodeTimesBeside(beside, base, relative));
        QVERIFY(relative.size() < own.size() / 2);
        Ints out(beside.size());
        QVERIFY(decodeTimes(relative, own, out));
        QCOMPARE(out, beside);
        QVERIFY(!decodeTimes(relative, {}, out));
        QVERIFY(!decodeTimes(relative, relative, out));
    }

    void valuesComeBack() {
        std::mt19937_64 random(6);
        for (int kind = 0; kind < 8; ++kind) {
            for (const std::size_t count : {1U, 100U, 256U, 5000U}) {
                std::vector<double> values;
                double whole = 9e15;
                for (std::size_t i = 0; i < count; ++i) {
                    const auto noise = static_cast<double>(random() % 1'000'000);
                    const std::array<double, 8> shapes{noise, noise / 1000.0, noise / 1e9,
                        whole += noise, std::sqrt(noise), std::bit_cast<double>(random()),
                        random() % 3 == 0 ? -0.0 : -noise / 10.0,
                        random() % 4 == 0 ? std::numeric_limits<double>::quiet_NaN() : 1e300};
                    values.push_back(shapes[static_cast<std::size_t>(kind)]);
                }
                Bytes bytes;
                encodeValues(values, bytes);
                std::vector<double> out(count);
                QVERIFY(decodeValues(bytes, out));
                for (std::size_t i = 0; i < count; ++i) {
                    const bool bothMissing = std::isnan(values[i]) && std::isnan(out[i]);
                    QVERIFY(bothMissing
                        || std::bit_cast<std::uint64_t>(out[i])
                            == std::bit_cast<std::uint64_t>(values[i]));
                }
            }
        }
    }

    void truncatedTimesAreRefused() {
        std::mt19937_64 random(7);
        for (int trial = 0; trial < 3000; ++trial) {
            const Ints values = column(static_cast<int>(random() % 8), 1 + random() % 700, random);
            Bytes bytes;
            encodeTimes(values, bytes);
            bytes.pop_back();
            Ints out(values.size());
            QVERIFY(!decodeTimes(bytes, {}, out));
        }
    }
};

TRAINSCOPE_TEST(tst_Codecs)
#include "tst_Codecs.moc"
