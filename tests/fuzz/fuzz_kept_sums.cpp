// Kept sums of traces, of any bytes or of any numbers: refused, or read in bounded memory; what was
// read adds up, and written again reads the same. The first byte says of what.

#include "fuzz/Inputs.h"

#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/TraceSums.h"

#include <cstdlib>
#include <cstring>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

// Decodes, and requires that what was read is written and read as the same bytes.
template <typename T, typename Decode, typename Encode>
std::optional<T> readTwice(store::ByteView bytes, Decode&& decode, Encode&& encode) {
    T read{};
    if (!decode(bytes, read))
        return std::nullopt;
    store::Bytes once;
    encode(read, once);
    T again{};
    store::Bytes twice;
    if (!decode(once, again))
        std::abort();
    encode(again, twice);
    if (once != twice)
        std::abort();
    return read;
}

// Numbers of 8 bytes each, any of them.
class Numbers {
public:
    explicit Numbers(fuzz::Input input)
        : m_input(input) { }
    std::int64_t next() {
        std::int64_t number = 0;
        const std::size_t size = std::min(m_input.size(), sizeof number);
        std::memcpy(&number, m_input.data(), size);
        m_input = m_input.subspan(size);
        return number;
    }
    [[nodiscard]] bool areLeft() const { return !m_input.empty(); }

private:
    fuzz::Input m_input;
};

void addDevice(const DeviceSums& part) {
    DeviceSums all;
    for (const bool isFirst : {true, false, false, false, false})
        all.add(part, isFirst);
    (void)copiesOf(all);
}

DeviceSums deviceOf(Numbers numbers) {
    DeviceSums sums;
    sums.busy = {numbers.next()};
    sums.compute = {numbers.next()};
    sums.launches = {numbers.next(), numbers.next(), numbers.next(), {numbers.next()}, {}};
    sums.launches.queues.push_back({{numbers.next()}, numbers.next(), true});
    sums.sets
        = {{numbers.next(), {numbers.next()}, numbers.next(), numbers.next(), {numbers.next()}},
            numbers.next()};
    sums.copies[0] = sums.sets;
    while (numbers.areLeft())
        sums.names.push_back(
            {{numbers.next()}, {numbers.next()}, numbers.next(), numbers.next(), {numbers.next()}});
    return sums;
}

void addCalls(store::ByteView bytes) {
    const auto encodeRows = [](const std::vector<CallSum>& rows, store::Bytes& out) {
        CallSums sums;
        for (const CallSum& row : rows)
            add(sums, row);
        encodeSums(sums, out);
    };
    CallSums sums;
    if (const auto rows = readTwice<std::vector<CallSum>>(
            bytes, [](auto in, auto& out) { return decodeSums(in, out); }, encodeRows)) {
        for (int i = 0; i < 4; ++i) {
            for (const CallSum& row : *rows)
                add(sums, row);
        }
    }
}

template <typename Entry>
void addEntries(store::ByteView bytes) {
    const auto entries = readTwice<std::vector<Entry>>(
        bytes, [](auto in, auto& out) { return decodeEntries(in, out); },
        [](const auto& in, auto& out) { encodeEntries(in, out); });
    CallSums sums;
    for (int i = 0; entries && i < 4; ++i) {
        for (const Entry& entry : *entries)
            add(sums, entry);
    }
}

void addNumbers(Numbers numbers) {
    CallSums sums;
    while (numbers.areLeft()) {
        add(sums, CallEntry{numbers.next(), numbers.next(), numbers.next(), numbers.next()});
        add(sums, WaitEntry{numbers.next(), numbers.next(), numbers.next(), numbers.next()});
    }
    store::Bytes bytes;
    encodeSums(sums, bytes);
    addCalls(bytes);
}

void addOperators(store::ByteView bytes) {
    const auto rows = readTwice<OperatorSums>(
        bytes, [](auto in, auto& out) { return decodeSums(in, out); },
        [](const auto& in, auto& out) { encodeSums(in, out); });
    OperatorSums all;
    for (int i = 0; rows && i < 4; ++i)
        addSums(all, *rows, i == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto decodeDevice = [](auto in, auto& out) { return decodeSums(in, out); };
    const auto encodeDevice = [](const auto& in, auto& out) { encodeSums(in, out); };
    switch (fuzz::takeChoice(input, 9)) {
    case 0:
        if (const auto read = readTwice<DeviceSums>(input, decodeDevice, encodeDevice))
            addDevice(*read);
        break;
    case 1: {
        const DeviceSums sums = deviceOf(Numbers(input));
        addDevice(sums);
        store::Bytes bytes;
        encodeSums(sums, bytes);
        if (const auto read = readTwice<DeviceSums>(bytes, decodeDevice, encodeDevice))
            addDevice(*read);
        break;
    }
    case 2:
        addCalls(input);
        break;
    case 3:
        addEntries<CallEntry>(input);
        break;
    case 4:
        addEntries<WaitEntry>(input);
        break;
    case 5:
        addNumbers(Numbers(input));
        break;
    case 6:
        addOperators(input);
        break;
    case 7:
        (void)readTwice<std::vector<std::int64_t>>(input, decodeDelays, encodeDelays);
        break;
    default:
        (void)readTwice<CallGroups>(
            input, CallGroups::decode, [](const auto& in, auto& out) { in.encode(out); });
    }
    return 0;
}
