#include "core/store/database/PageSums.h"

#include "core/store/database/StoreFile.h"

#include <sqlite3.h>
#include <xxhash.h>

#include <chrono>
#include <thread>

namespace trainscope::store {
namespace {

constexpr int kSummed = kPageSize - kSumSize;

// 0 for none.
std::uint64_t storedSum(const std::uint8_t* page) {
    std::uint64_t sum = 0;
    for (int i = kPageSize - 1; i >= kSummed; --i)
        sum = sum << 8U | page[i];
    return sum;
}

// Places in the first page, of SQLite's file format.
constexpr int kHeaderEnd = 100;
constexpr int kWriteVersion = 18;
constexpr int kReadVersion = 19;
constexpr int kReserved = 20;
constexpr std::uint8_t kOnlyThisProgram = 3; // SQLite knows 1 and 2
constexpr sqlite3_int64 kLockPage = sqlite3_int64{1} << 30; // SQLite keeps nothing there

using Page = std::array<std::uint8_t, kPageSize>;

// Never 0, which stands for none.
std::uint64_t sumOf(const std::uint8_t* page, sqlite3_int64 at) {
    const std::uint64_t sum = XXH3_64bits(page, kSummed) + static_cast<std::uint64_t>(at);
    return sum == 0 ? 1 : sum;
}

PageState stateOf(const std::uint8_t* page, sqlite3_int64 at) {
    const std::uint64_t stored = storedSum(page);
    if (stored == 0) {
        const bool isBlank = std::all_of(page, page + kSummed, [](auto byte) { return byte == 0; });
        return isBlank ? PageState::Blank : PageState::AsWritten; // by another program
    }
    return stored == sumOf(page, at) ? PageState::AsWritten : PageState::Damaged;
}

// A file as SQLite opens it; the file of the system's VFS lies behind it.
struct SummedFile {
    sqlite3_file base;
    bool isWriting = false; // holds a lock by which others only read

    static SummedFile& of(sqlite3_file* file) { return *reinterpret_cast<SummedFile*>(file); }
};
sqlite3_file* innerOf(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(&SummedFile::of(file) + 1);
}

template <auto Method, typename Answer, typename... Args>
Answer callInner(sqlite3_file* file, Args... args) {
    sqlite3_file* inner = innerOf(file);
    return (inner->pMethods->*Method)(inner, args...);
}
template <auto Method, typename Answer, typename... Args>
constexpr auto passOn(Answer (*sqlite3_io_methods::* /*unused*/)(sqlite3_file*, Args...)) {
    return &callInner<Method, Answer, Args...>;
}
// The system's function.
template <auto Method>
constexpr auto kInner = passOn<Method>(Method);
constexpr auto kReadInner = kInner<&sqlite3_io_methods::xRead>;

// SQLite fills a page that ends behind the file with zeros, which must not happen to one that was
// cut.
int codeOfShortRead(sqlite3_file* file, sqlite3_int64 at) {
    sqlite3_int64 size = 0;
    const int code = kInner<&sqlite3_io_methods::xFileSize>(file, &size);
    if (code != SQLITE_OK)
        return code;
    return size > at ? SQLITE_IOERR_DATA : SQLITE_IOERR_SHORT_READ;
}

int readPage(sqlite3_file* file, std::uint8_t* page, sqlite3_int64 at) {
    const int code = kReadInner(file, page, kPageSize, at);
    if (code != SQLITE_OK)
        return code == SQLITE_IOERR_SHORT_READ ? codeOfShortRead(file, at) : code;
    const PageState state = stateOf(page, at);
    // Whoever writes takes pages that were never written into use.
    if (state == PageState::Damaged
        || (state == PageState::Blank && !SummedFile::of(file).isWriting))
        return SQLITE_IOERR_DATA;
    std::fill(page + kSummed, page + kPageSize, std::uint8_t{0});
    if (at == 0)
        page[kWriteVersion] = page[kReadVersion];
    return SQLITE_OK;
}

int readSummed(sqlite3_file* file, void* buffer, int amount, sqlite3_int64 at) {
    auto* bytes = static_cast<std::uint8_t*>(buffer);
    const sqlite3_int64 inPage = at % kPageSize;
    if (inPage == 0 && amount == kPageSize)
        return readPage(file, bytes, at);
    // The header is read before anything is locked, and the first page again afterwards.
    if (at + amount <= kHeaderEnd) {
        const int code = kReadInner(file, buffer, amount, at);
        if (at <= kWriteVersion && at + amount > kReadVersion)
            bytes[kWriteVersion - at] = bytes[kReadVersion - at];
        return code;
    }
    // Pages of another size are those of a damaged header.
    if (inPage + amount > kPageSize)
        return SQLITE_IOERR_DATA;
    Page page;
    const int code = readPage(file, page.data(), at - inPage);
    std::copy_n(page.data() + inPage, amount, bytes);
    return code;
}

int writeSummed(sqlite3_file* file, const void* buffer, int amount, sqlite3_int64 at) {
    if (amount != kPageSize || at % kPageSize != 0)
        return SQLITE_IOERR_WRITE;
    Page page{};
    std::copy_n(static_cast<const std::uint8_t*>(buffer), kSummed, page.data());
    if (at == 0) {
        // Room for the sums is made when a database is; without it they would cover what is
        // written.
        if (page[kReserved] != kSumSize)
            return SQLITE_IOERR_WRITE;
        page[kWriteVersion] = kOnlyThisProgram;
    }
    std::uint64_t sum = sumOf(page.data(), at);
    for (int i = kSummed; i < kPageSize; ++i, sum >>= 8U)
        page[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(sum);
    return kInner<&sqlite3_io_methods::xWrite>(file, page.data(), kPageSize, at);
}

int lock(sqlite3_file* file, int level) {
    const int code = kInner<&sqlite3_io_methods::xLock>(file, level);
    if (code == SQLITE_OK)
        SummedFile::of(file).isWriting = level >= SQLITE_LOCK_RESERVED;
    return code;
}

int unlock(sqlite3_file* file, int level) {
    SummedFile::of(file).isWriting = false;
    return kInner<&sqlite3_io_methods::xUnlock>(file, level);
}

// The locks of the log; the first of them is a writer's.
int lockShared(sqlite3_file* file, int first, int count, int flags) {
    const int code = kInner<&sqlite3_io_methods::xShmLock>(file, first, count, flags);
    if (code == SQLITE_OK && first == 0 && (flags & SQLITE_SHM_EXCLUSIVE) != 0)
        SummedFile::of(file).isWriting = (flags & SQLITE_SHM_LOCK) != 0;
    return code;
}

// Later versions of SQLite would read parts of pages past xRead.
int characteristics(sqlite3_file* file) {
    constexpr int readsParts = 0x8000; // SQLITE_IOCAP_SUBPAGE_READ
    return kInner<&sqlite3_io_methods::xDeviceCharacteristics>(file) & ~readsParts;
}

// Version 2: without mapping the file into memory, which would read past xRead too.
constexpr sqlite3_io_methods kMethods{2, kInner<&sqlite3_io_methods::xClose>, readSummed,
    writeSummed, kInner<&sqlite3_io_methods::xTruncate>, kInner<&sqlite3_io_methods::xSync>,
    kInner<&sqlite3_io_methods::xFileSize>, lock, unlock,
    kInner<&sqlite3_io_methods::xCheckReservedLock>, kInner<&sqlite3_io_methods::xFileControl>,
    kInner<&sqlite3_io_methods::xSectorSize>, characteristics, kInner<&sqlite3_io_methods::xShmMap>,
    lockShared, kInner<&sqlite3_io_methods::xShmBarrier>, kInner<&sqlite3_io_methods::xShmUnmap>,
    nullptr, nullptr};

struct Vfs {
    sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
    sqlite3_vfs own = *system;

    Vfs() {
        own.pNext = nullptr;
        own.zName = "trainscope";
        own.szOsFile += static_cast<int>(sizeof(SummedFile));
        own.xOpen = open;
        sqlite3_vfs_register(&own, 0);
    }

    static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out);
};

Vfs& theVfs() {
    static Vfs vfs;
    return vfs;
}

int Vfs::open(
    sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* outFlags) {
    sqlite3_vfs* system = theVfs().system;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
        return system->xOpen(system, name, file, flags, outFlags);
    SummedFile::of(file).isWriting = false;
    sqlite3_file* inner = innerOf(file);
    const int code = system->xOpen(system, name, inner, flags, outFlags);
    if (code != SQLITE_OK && inner->pMethods != nullptr)
        inner->pMethods->xClose(inner);
    file->pMethods = code == SQLITE_OK ? &kMethods : nullptr;
    return code;
}

// Another program's checkpoint may be writing the page at this moment: damaged is what stays so.
PageState settledState(sqlite3_file* file, sqlite3_int64 at) {
    constexpr std::chrono::milliseconds pause{2};
    Page page{};
    while (true) {
        const Page before = page;
        const bool isRead = kReadInner(file, page.data(), kPageSize, at) == SQLITE_OK;
        const PageState state = isRead ? stateOf(page.data(), at) : PageState::Damaged;
        if (state != PageState::Damaged || page == before)
            return state;
        std::this_thread::sleep_for(pause);
    }
}

} // namespace

const char* summingVfs() {
    return theVfs().own.zName;
}

bool isFirstPageAsWritten(const std::uint8_t* page) {
    return storedSum(page) != 0 && stateOf(page, 0) == PageState::AsWritten;
}

Status forEachPage(
    Database& database, const std::function<Status(std::int64_t, PageState)>& visit) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    sqlite3_int64 size = 0;
    if (const int code = file->pMethods->xFileSize(file, &size); code != SQLITE_OK)
        return database.error(code);
    const auto inLog = pagesInLog(sqlite3_db_filename(database.handle(), "main"));
    for (sqlite3_int64 at = 0; at < size; at += kPageSize) {
        const std::int64_t page = at / kPageSize + 1;
        if (at != kLockPage && inLog.count(page) == 0)
            RETURN_IF_ERROR(visit(page, settledState(file, at)));
    }
    return {};
}

} // namespace trainscope::store
