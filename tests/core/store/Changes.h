#pragma once
// Everything that changes a database, small, for trials that stop it in its midst.

#include "core/store/Connection.h"
#include "core/store/Contents.h"
#include "core/store/Merge.h"
#include "core/store/Recording.h"
#include "core/store/database/Schema.h"
#include "core/store/database/StoreFile.h"

#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>

namespace trainscope::test {

inline int changeRows = 500; // samples and spans of a run

// Little is kept in memory, so that changes reach the file before they are committed too.
inline Result<Store> openSmall(const std::filesystem::path& path) {
    auto store = Store::openOrCreate(path);
    if (store.hasValue())
        RETURN_IF_ERROR(store.value().connection().database.script("PRAGMA cache_size=10"));
    return store;
}

inline Status importRun(Store& store, const std::string& name) {
    ASSIGN_OR_RETURN(const auto session, store::beginImport(store, {"/data/" + name, 1, "", name}));
    ASSIGN_OR_RETURN(const auto run, session->run(runNamed(name)));
    ASSIGN_OR_RETURN(const auto series, session->series(run, gauge("gpu_power", 0)));
    TrackDescription description;
    description.kind = TrackKind::Stream;
    description.name = "stream 7";
    ASSIGN_OR_RETURN(const auto track, session->track(run, description));
    for (int i = 0; i < changeRows; ++i) {
        const std::array<TimeNs, 1> time{TimeNs{i * 1'000'003LL + i * 31LL % 1009}};
        const std::array<double, 1> value{i * 7919 % 4999 / 8.0};
        RETURN_IF_ERROR(session->samples(series, time, value));
        std::array<Span, 1> span;
        span[0].start = {i * 1000LL};
        span[0].duration = {500};
        ASSIGN_OR_RETURN(span[0].name, session->intern("kernel " + std::to_string(i)));
        RETURN_IF_ERROR(session->spans(track, span));
    }
    return session->finish({}, "", 0, {});
}

inline Status importOne(const std::filesystem::path& path) {
    ASSIGN_OR_RETURN(auto store, openSmall(path));
    return importRun(store, "new");
}

inline Status mergeOne(const std::filesystem::path& path) {
    ASSIGN_OR_RETURN(const auto from, Store::open(path.string() + ".other", OpenMode::ReadOnly));
    ASSIGN_OR_RETURN(auto store, openSmall(path));
    const auto merged = store::mergeInto(store, from, [](const Run& run) { return run.name; }, {});
    return merged.hasValue() ? Status() : Status(merged.error());
}

inline Status removeOne(const std::filesystem::path& path) {
    ASSIGN_OR_RETURN(auto store, openSmall(path));
    ASSIGN_OR_RETURN(const auto run, store.findRun("gone"));
    return store::removeRun(store, run.id);
}

inline Status vacuumOne(const std::filesystem::path& path) {
    ASSIGN_OR_RETURN(auto store, openSmall(path));
    const auto sizes = store::vacuum(store);
    return sizes.hasValue() ? Status() : Status(sizes.error());
}

inline Status migrateOne(const std::filesystem::path& path) {
    const auto store = Store::open(path, OpenMode::ReadOnly);
    return store.hasValue() ? Status() : Status(store.error());
}

struct Operation {
    const char* name;
    Status (*work)(const std::filesystem::path&);
};
inline constexpr std::array<Operation, 5> kOperations{Operation{"import", importOne},
    {"merge", mergeOne}, {"remove", removeOne}, {"vacuum", vacuumOne}, {"migrate", migrateOne}};

// As the oldest version that is read made it, with something in it.
inline void makeOldBase(const std::filesystem::path& path) {
    Database database
        = got(Database::open(StoreFile(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    ok(database.script("PRAGMA application_id=" + std::to_string(kApplicationId)));
    ok(migrate(database, migrations().first(static_cast<std::size_t>(oldestSchemaVersion()))));
    ok(database.script(
        "INSERT INTO meta VALUES('uuid', 'old'); INSERT INTO run(name, imported_name) "
        "VALUES('run', 'run'); INSERT INTO launch(run, model) VALUES(1, 'gpt')"));
}

// Everything beside the file goes too.
inline void copyTo(const std::filesystem::path& from, const std::filesystem::path& to) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        std::filesystem::remove(to.string() + suffix);
    }
    std::filesystem::copy_file(from, to);
}

inline bool checkedWhole(const std::filesystem::path& path) {
    const Store store = got(Store::open(path, OpenMode::ReadOnly));
    const CheckReport report = got(store.check());
    for (const std::string& text : report.damage)
        qWarning("%s", text.c_str());
    return report.damageCount == 0;
}

// As they were recorded, from the first on; -1 where they are not.
inline int samplesIn(const std::filesystem::path& path, std::string_view recorded) {
    const Store store = got(Store::open(path, OpenMode::ReadOnly));
    int count = 0;
    for (const Run& run : got(store.runs())) {
        if (run.name != recorded)
            continue;
        for (const Series& series : got(store.series(run.id)))
            ok(store.forEachSample(series.id, kAllTime, [&count](auto, auto values) {
                for (const double value : values)
                    count = count >= 0 && value == count ? count + 1 : -1;
                return count >= 0;
            }));
    }
    return count;
}

// `told` hears how many samples are committed.
inline Status recordOne(const std::filesystem::path& path, const std::function<void(int)>& told) {
    Status failure;
    ASSIGN_OR_RETURN(auto store, openSmall(path));
    ASSIGN_OR_RETURN(const auto recording,
        Recording::begin(store, {"record:a:0", 0, "", "job"}, runNamed("job")));
    ASSIGN_OR_RETURN(const auto series, recording->series(gauge("gpu_power", 0)));
    const int every = changeRows / 2;
    for (int i = 0; i < 20 * every; ++i) {
        recording->sample(series, {i * 50'000'000LL}, i);
        if (i % every != every - 1)
            continue;
        const Status status = recording->commit({});
        if (status.hasValue())
            told(i + 1);
        else
            failure = status;
    }
    return failure;
}

// Makes the operation's base, and the database beside `path` that it merges.
inline void makeBase(Status (*work)(const std::filesystem::path&),
    const std::filesystem::path& base, const std::filesystem::path& path) {
    if (work == migrateOne) {
        makeOldBase(base);
        return;
    }
    Store store = got(Store::openOrCreate(base));
    ok(importRun(store, "kept"));
    ok(importRun(store, "gone"));
    Store other = got(Store::openOrCreate(path.string() + ".other"));
    ok(importRun(other, "merged"));
}

} // namespace trainscope::test
