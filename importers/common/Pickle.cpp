#include "importers/common/Pickle.h"

#include "core/model/HarmlessText.h"
#include "core/model/Try.h"

#include <fmt/format.h>

namespace trainscope::importers {

namespace {

using PickleKind = PickleValue::Kind;

// Opcodes of pickletools; those of protocol 0, which are lines of text, are among the refused.
enum Opcode : std::uint8_t {
    kMark = '(',
    kStop = '.',
    kPop = '0',
    kPopMark = '1',
    kBinFloat = 'G',
    kBinInt = 'J',
    kBinInt1 = 'K',
    kBinInt2 = 'M',
    kNone = 'N',
    kBinString = 'T',
    kShortBinString = 'U',
    kBinUnicode = 'X',
    kBinBytes = 'B',
    kShortBinBytes = 'C',
    kAppend = 'a',
    kAppends = 'e',
    kDict = 'd',
    kEmptyDict = '}',
    kList = 'l',
    kEmptyList = ']',
    kTuple = 't',
    kEmptyTuple = ')',
    kSetItem = 's',
    kSetItems = 'u',
    kBinGet = 'h',
    kLongBinGet = 'j',
    kBinPut = 'q',
    kLongBinPut = 'r',
    kProto = 0x80,
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kLong1 = 0x8a,
    kLong4 = 0x8b,
    kShortBinUnicode = 0x8c,
    kBinUnicode8 = 0x8d,
    kBinBytes8 = 0x8e,
    kMemoize = 0x94,
    kFrame = 0x95,
};

struct RefusedOpcode {
    std::uint8_t code;
    std::string_view name;
};
constexpr auto kRefused
    = std::to_array<RefusedOpcode>({{'c', "GLOBAL"}, {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},
        {'b', "BUILD"}, {'i', "INST"}, {'o', "OBJ"}, {0x81, "NEWOBJ"}, {0x92, "NEWOBJ_EX"},
        {0x82, "EXT1"}, {0x83, "EXT2"}, {0x84, "EXT4"}, {'P', "PERSID"}, {'Q', "BINPERSID"}});
constexpr auto kUnused = std::to_array<RefusedOpcode>(
    {{0x8f, "EMPTY_SET"}, {0x90, "ADDITEMS"}, {0x91, "FROZENSET"}, {0x96, "BYTEARRAY8"},
        {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"}, {'2', "DUP"}, {'I', "INT"}, {'L', "LONG"},
        {'F', "FLOAT"}, {'S', "STRING"}, {'V', "UNICODE"}, {'p', "PUT"}, {'g', "GET"}});

template <typename List>
std::string_view nameIn(const List& list, std::uint8_t code) {
    const auto found = std::ranges::find(list, code, &RefusedOpcode::code);
    return found == list.end() ? std::string_view() : found->name;
}

PickleValue integer(std::int64_t number) {
    return {PickleKind::Integer, 0, number};
}

// Little-endian two's complement of any length.
PickleValue longOf(std::string_view bytes) {
    const bool isNegative
        = !bytes.empty() && (static_cast<std::uint8_t>(bytes.back()) & 0x80U) != 0;
    std::uint64_t low = isNegative ? ~std::uint64_t{0} : 0;
    double real = isNegative ? -1.0 : 0.0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        const auto byte = static_cast<std::uint8_t>(bytes[i]);
        low = low << 8U | byte;
        real = real * 256.0 + byte;
    }
    if (bytes.size() <= sizeof(low))
        return integer(static_cast<std::int64_t>(low));
    return {PickleKind::Real, 0, std::bit_cast<std::int64_t>(real)};
}

} // namespace

Error PickleReader::problem(std::string text) const {
    return {ErrorCode::Unreadable,
        fmt::format(
            "{} (byte {})", std::move(text), m_bytes - static_cast<std::uint64_t>(m_size - m_used)),
        {}};
}

Status PickleReader::fill() {
    constexpr std::size_t kBlock = std::size_t{256} << 10;
    m_block.resize(kBlock);
    ASSIGN_OR_RETURN(m_size, m_stream.read(m_block));
    m_used = 0;
    m_bytes += m_size;
    if (m_size > 0)
        return {};
    m_isCut = true;
    return problem("The pickle ends in the middle of a value: the file is cut short");
}

// Valid until the next call.
Result<std::string_view> PickleReader::bytesOf(std::size_t count) {
    if (m_size - m_used >= count) {
        const auto* begin = reinterpret_cast<const char*>(m_block.data()) + m_used;
        m_used += count;
        return std::string_view(begin, count);
    }
    m_piece.clear();
    while (m_piece.size() < count) {
        if (m_used == m_size)
            RETURN_IF_ERROR(fill());
        const std::size_t some = std::min(count - m_piece.size(), m_size - m_used);
        m_piece.append(reinterpret_cast<const char*>(m_block.data()) + m_used, some);
        m_used += some;
    }
    return std::string_view(m_piece);
}

Result<std::uint64_t> PickleReader::unsignedOf(std::size_t bytes) {
    if (bytes == 1 && m_used < m_size)
        return static_cast<std::uint64_t>(m_block[m_used++]);
    ASSIGN_OR_RETURN(const auto text, bytesOf(bytes));
    std::uint64_t number = 0;
    for (std::size_t i = text.size(); i-- > 0;)
        number = number << 8U | static_cast<std::uint8_t>(text[i]);
    return number;
}

Result<PickleValue> PickleReader::read(const GoesOn& goesOn) {
    constexpr std::uint64_t kEvery = std::uint64_t{2} << 20;
    std::uint64_t next = kEvery;
    while (true) {
        if (m_bytes >= next) {
            next = m_bytes + kEvery;
            if (goesOn && !goesOn())
                return cancelled();
        }
        if (m_used == m_size)
            RETURN_IF_ERROR(fill());
        const auto opcode = static_cast<std::uint8_t>(m_block[m_used++]);
        if (opcode == kStop)
            break;
        RETURN_IF_ERROR(step(opcode));
    }
    if (m_stack.size() != 1 || !m_marks.empty())
        return problem("The pickle ends without one whole value: it is damaged");
    return m_stack.back();
}

Status PickleReader::step(std::uint8_t opcode) {
    switch (opcode) {
    case kProto: {
        constexpr std::uint64_t kNewest = 5;
        ASSIGN_OR_RETURN(const auto protocol, unsignedOf(1));
        return protocol <= kNewest
            ? Status()
            : problem(fmt::format("Pickle protocol {} is newer than 5 and not known", protocol));
    }
    case kFrame: {
        // Frames only say how much to read at once.
        const auto size = unsignedOf(8);
        return size.hasValue() ? Status() : size.error();
    }
    case kMark:
        if (m_marks.size() >= kDeepest)
            return problem(fmt::format("More than {} lists and dicts lie in each other", kDeepest));
        m_marks.push_back(m_stack.size());
        return {};
    case kPop:
        RETURN_IF_ERROR(need(1));
        m_stack.pop_back();
        --m_cells;
        return {};
    case kPopMark: {
        ASSIGN_OR_RETURN(const auto from, popMark());
        m_cells -= m_stack.size() - from;
        m_stack.resize(from);
        return {};
    }
    default:
        return stepOfNumbers(opcode);
    }
}

Status PickleReader::stepOfNumbers(std::uint8_t opcode) {
    switch (opcode) {
    case kNone:
        return push({});
    case kNewTrue:
    case kNewFalse: {
        PickleValue value = integer(opcode == kNewTrue ? 1 : 0);
        value.kind = PickleKind::Boolean;
        return push(value);
    }
    case kBinInt: {
        ASSIGN_OR_RETURN(const auto bits, unsignedOf(4));
        return push(integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))));
    }
    case kBinInt1:
    case kBinInt2: {
        ASSIGN_OR_RETURN(const auto bits, unsignedOf(opcode == kBinInt1 ? 1 : 2));
        return push(integer(static_cast<std::int64_t>(bits)));
    }
    case kLong1:
    case kLong4: {
        ASSIGN_OR_RETURN(const auto size, unsignedOf(opcode == kLong1 ? 1 : 4));
        return pushLong(size);
    }
    case kBinFloat: {
        ASSIGN_OR_RETURN(const auto text, bytesOf(8));
        std::uint64_t bits = 0;
        for (const char one : text)
            bits = bits << 8U | static_cast<std::uint8_t>(one);
        return push({PickleKind::Real, 0, std::bit_cast<std::int64_t>(bits)});
    }
    default:
        return stepOfTexts(opcode);
    }
}

Status PickleReader::stepOfTexts(std::uint8_t opcode) {
    std::size_t width = 0;
    switch (opcode) {
    case kShortBinUnicode:
    case kShortBinString:
    case kShortBinBytes:
        width = 1;
        break;
    case kBinUnicode:
    case kBinString:
    case kBinBytes:
        width = 4;
        break;
    case kBinUnicode8:
    case kBinBytes8:
        width = 8;
        break;
    default:
        return stepOfLists(opcode);
    }
    ASSIGN_OR_RETURN(const auto size, unsignedOf(width));
    return pushText(size);
}

Status PickleReader::stepOfLists(std::uint8_t opcode) {
    switch (opcode) {
    case kEmptyList:
    case kEmptyTuple:
        return pushContainer(PickleKind::List, m_stack.size());
    case kEmptyDict:
        return pushContainer(PickleKind::Dict, m_stack.size());
    case kTuple1:
    case kTuple2:
    case kTuple3: {
        const std::size_t count = static_cast<std::size_t>(opcode - kTuple1) + 1;
        RETURN_IF_ERROR(need(count));
        return pushContainer(PickleKind::List, m_stack.size() - count);
    }
    case kTuple:
    case kList:
    case kDict: {
        ASSIGN_OR_RETURN(const auto from, popMark());
        RETURN_IF_ERROR(pushContainer(opcode == kDict ? PickleKind::Dict : PickleKind::List, from));
        return opcode == kDict ? offer(m_stack.size() - 1) : Status();
    }
    case kAppend:
        RETURN_IF_ERROR(need(2));
        return append(m_stack.size() - 1);
    case kAppends: {
        ASSIGN_OR_RETURN(const auto from, popMark());
        return append(from);
    }
    case kSetItem:
        RETURN_IF_ERROR(need(3));
        return put(m_stack.size() - 2);
    case kSetItems: {
        ASSIGN_OR_RETURN(const auto from, popMark());
        return put(from);
    }
    default:
        return stepOfMemo(opcode);
    }
}

Status PickleReader::stepOfMemo(std::uint8_t opcode) {
    switch (opcode) {
    case kMemoize:
        return remember(m_memo.size());
    case kBinPut:
    case kLongBinPut: {
        ASSIGN_OR_RETURN(const auto at, unsignedOf(opcode == kBinPut ? 1 : 4));
        return remember(at);
    }
    case kBinGet:
    case kLongBinGet: {
        ASSIGN_OR_RETURN(const auto at, unsignedOf(opcode == kBinGet ? 1 : 4));
        return recall(at);
    }
    default:
        return refuse(opcode);
    }
}

Status PickleReader::refuse(std::uint8_t opcode) {
    constexpr std::string_view kWhy
        = "plain values are all that is read of a pickle, and nothing of it is run";
    if (const auto name = nameIn(kRefused, opcode); !name.empty()) {
        std::string wanted;
        if (opcode == 'c') {
            constexpr std::size_t kLongestName = 200;
            for (int lines = 0; lines < 2 && wanted.size() < kLongestName;) {
                const auto one = bytesOf(1);
                if (!one.hasValue())
                    break;
                const char c = one.value().front();
                lines += c == '\n' ? 1 : 0;
                wanted += c == '\n' ? '.' : c;
            }
            wanted = " " + harmless(wanted.substr(0, wanted.find_last_not_of('.') + 1));
        } else if (opcode == 0x93 && m_stack.size() >= 2) {
            wanted = fmt::format(" {}.{}", harmless(text(m_stack[m_stack.size() - 2])),
                harmless(text(m_stack.back())));
        }
        return problem(fmt::format(
            "The pickle wants to load or make an object ({}{}): {}", name, wanted, kWhy));
    }
    if (const auto name = nameIn(kUnused, opcode); !name.empty())
        return problem(fmt::format(
            "The pickle has the opcode {}, which memory snapshots do not need: save it with "
            "protocol 2 to 5, as lists, dicts, numbers and texts",
            name));
    return problem(fmt::format("Byte 0x{:02x} is no opcode of a pickle: it is damaged", opcode));
}

Status PickleReader::need(std::size_t values) {
    const std::size_t from = m_marks.empty() ? 0 : m_marks.back();
    return m_stack.size() >= from + values
        ? Status()
        : problem("The pickle takes values that are not there: it is damaged");
}

Result<std::size_t> PickleReader::popMark() {
    if (m_marks.empty())
        return problem("The pickle closes what it never opened: it is damaged");
    const std::size_t from = m_marks.back();
    m_marks.pop_back();
    return from;
}

Status PickleReader::countCells(std::size_t more) {
    m_cells += more;
    return m_cells <= kMostCells
        ? Status()
        : problem(fmt::format("The pickle holds more than {} values at a time", kMostCells));
}

Status PickleReader::push(PickleValue value) {
    RETURN_IF_ERROR(countCells(1));
    m_stack.push_back(value);
    return {};
}

Status PickleReader::pushLong(std::uint64_t bytes) {
    constexpr std::uint64_t kLongest = 128;
    if (bytes > kLongest)
        return problem(fmt::format("A number of {} bytes is longer than any of a snapshot", bytes));
    ASSIGN_OR_RETURN(const auto text, bytesOf(static_cast<std::size_t>(bytes)));
    return push(longOf(text));
}

Status PickleReader::pushText(std::uint64_t size) {
    if (size > kLongestText)
        return problem(
            fmt::format("A text of {} bytes is longer than {} allowed", size, kLongestText));
    ASSIGN_OR_RETURN(const auto text, bytesOf(static_cast<std::size_t>(size)));
    const auto found = m_textIndex.find(text);
    if (found != m_textIndex.end())
        return push({PickleKind::Text, 0, found->second});
    constexpr std::size_t kOverhead = 64;
    m_textBytes += text.size() + kOverhead;
    if (m_textBytes > kMostTextBytes)
        return problem(
            fmt::format("The texts of the pickle take more than {} MiB", kMostTextBytes >> 20U));
    const auto index = static_cast<std::uint32_t>(m_texts.size());
    m_texts.emplace_back(text);
    m_textIndex.emplace(m_texts.back(), index);
    return push({PickleKind::Text, 0, index});
}

// Made from all that stands on the stack from there on.
Status PickleReader::pushContainer(PickleKind kind, std::size_t from) {
    if (kind == PickleKind::Dict && (m_stack.size() - from) % 2 != 0)
        return problem("A dict of the pickle has a key without a value: it is damaged");
    std::uint32_t at = 0;
    if (m_free.empty()) {
        // Each is as large as a few values.
        constexpr std::size_t kCellsOfContainer = 2;
        RETURN_IF_ERROR(countCells(kCellsOfContainer));
        at = static_cast<std::uint32_t>(m_containers.size());
        m_containers.emplace_back();
    } else {
        at = m_free.back();
        m_free.pop_back();
    }
    Container& made = m_containers[at];
    made.items.assign(m_stack.begin() + static_cast<std::ptrdiff_t>(from), m_stack.end());
    m_stack.resize(from);
    return push({kind, made.version, at});
}

const PickleReader::Container* PickleReader::container(const PickleValue& value) const {
    if ((!value.isList() && !value.isDict())
        || static_cast<std::size_t>(value.number) >= m_containers.size())
        return nullptr;
    const Container& one = m_containers[static_cast<std::size_t>(value.number)];
    return one.version == value.version ? &one : nullptr;
}

Status PickleReader::append(std::size_t from) {
    if (from == 0 || container(m_stack[from - 1]) == nullptr || !m_stack[from - 1].isList())
        return problem("The pickle appends to something that is no list: it is damaged");
    Container& list = m_containers[static_cast<std::size_t>(m_stack[from - 1].number)];
    std::size_t added = 0;
    for (std::size_t i = from; i < m_stack.size(); ++i) {
        if (m_stack[i].kind != PickleKind::Taken) {
            list.items.push_back(m_stack[i]);
            ++added;
        }
    }
    m_cells -= m_stack.size() - from - added;
    m_stack.resize(from);
    return {};
}

Status PickleReader::put(std::size_t from) {
    if (from == 0 || container(m_stack[from - 1]) == nullptr || !m_stack[from - 1].isDict())
        return problem("The pickle puts an item into something that is no dict: it is damaged");
    if ((m_stack.size() - from) % 2 != 0)
        return problem("A dict of the pickle has a key without a value: it is damaged");
    Container& dict = m_containers[static_cast<std::size_t>(m_stack[from - 1].number)];
    dict.items.insert(
        dict.items.end(), m_stack.begin() + static_cast<std::ptrdiff_t>(from), m_stack.end());
    m_stack.resize(from);
    return offer(from - 1);
}

// The list that a value on the stack will be appended to: the one just below it, else the one
// whose items are being gathered.
std::optional<PickleValue> PickleReader::listAbove(std::size_t place) const {
    const std::size_t mark = m_marks.empty() ? 0 : m_marks.back();
    if (place > mark && m_stack[place - 1].isList())
        return m_stack[place - 1];
    if (mark > 0 && m_stack[mark - 1].isList())
        return m_stack[mark - 1];
    return std::nullopt;
}

Status PickleReader::offer(std::size_t place) {
    const PickleValue dict = m_stack[place];
    if (items(dict).size() > 2 * kMostKeys)
        return {};
    ASSIGN_OR_RETURN(const auto instead, m_take(dict, listAbove(place)));
    if (!instead)
        return {};
    const std::uint32_t memo = m_containers[static_cast<std::size_t>(dict.number)].memo;
    forget(dict);
    if (memo > 0)
        m_memo[memo - 1] = {instead->kind, static_cast<std::uint32_t>(instead->number)};
    m_stack[place] = *instead;
    return {};
}

void PickleReader::replace(const PickleValue& list, std::uint32_t handle) {
    if (container(list) == nullptr)
        return;
    const std::uint32_t memo = m_containers[static_cast<std::size_t>(list.number)].memo;
    forget(list);
    if (memo > 0)
        m_memo[memo - 1] = {PickleKind::Handle, handle};
}

// With what lies in it and nothing can refer to any more.
void PickleReader::forget(const PickleValue& value) {
    std::vector<PickleValue> all{value};
    while (!all.empty()) {
        const PickleValue one = all.back();
        all.pop_back();
        if (container(one) == nullptr)
            continue;
        Container& dropped = m_containers[static_cast<std::size_t>(one.number)];
        for (const PickleValue& item : dropped.items) {
            if (const Container* inner = container(item); inner != nullptr && inner->memo == 0)
                all.push_back(item);
        }
        m_cells -= dropped.items.size();
        dropped.items = {};
        if (dropped.memo > 0)
            m_memo[dropped.memo - 1] = {PickleKind::Taken, 0};
        dropped.memo = 0;
        ++dropped.version;
        if (!dropped.isPinned)
            m_free.push_back(static_cast<std::uint32_t>(one.number));
    }
}

Status PickleReader::remember(std::uint64_t at) {
    RETURN_IF_ERROR(need(1));
    // Picklers count up; a number far beyond would only take memory.
    constexpr std::uint64_t kAhead = 1024;
    if (at >= kMostMemo || at > m_memo.size() + kAhead)
        return problem(fmt::format(
            "The pickle remembers more than {} values, or numbers them wildly", kMostMemo));
    if (at >= m_memo.size())
        m_memo.resize(static_cast<std::size_t>(at) + 1);
    const PickleValue& value = m_stack.back();
    m_memo[static_cast<std::size_t>(at)] = {value.kind, static_cast<std::uint32_t>(value.number)};
    if (container(value) != nullptr) {
        Container& one = m_containers[static_cast<std::size_t>(value.number)];
        one.isPinned = one.memo > 0;
        one.memo = static_cast<std::uint32_t>(at) + 1;
    } else if (value.kind != PickleKind::Text && value.kind != PickleKind::Handle
        && value.kind != PickleKind::Taken) {
        return problem("The pickle remembers a number, which no pickler does: it is damaged");
    }
    return {};
}

Status PickleReader::recall(std::uint64_t at) {
    if (at >= m_memo.size() || m_memo[static_cast<std::size_t>(at)].kind == PickleKind::None)
        return problem("The pickle refers to a value that it never had: it is damaged");
    const Remembered& one = m_memo[static_cast<std::size_t>(at)];
    PickleValue value{one.kind, 0, one.at};
    if (value.isList() || value.isDict())
        value.version = m_containers[one.at].version;
    return push(value);
}

const PickleValue* PickleReader::member(const PickleValue& dict, std::string_view key) const {
    const Container* one = dict.isDict() ? container(dict) : nullptr;
    if (one == nullptr)
        return nullptr;
    for (std::size_t i = 0; i + 1 < one->items.size(); i += 2) {
        if (one->items[i].kind == PickleKind::Text && text(one->items[i]) == key)
            return &one->items[i + 1];
    }
    return nullptr;
}

std::span<const PickleValue> PickleReader::items(const PickleValue& value) const {
    const Container* one = container(value);
    return one == nullptr ? std::span<const PickleValue>() : std::span(one->items);
}

std::string_view PickleReader::text(const PickleValue& value) const {
    return value.kind == PickleKind::Text && static_cast<std::size_t>(value.number) < m_texts.size()
        ? std::string_view(m_texts[static_cast<std::size_t>(value.number)])
        : std::string_view();
}

} // namespace trainscope::importers
