#pragma once
// The page of a database as a server answers it: the program, the tables of some runs, their parts
// as the program asks for them, and answers of commands. Nothing of the runs is kept but what the
// answers share (RunStudies).
//
//   (nothing)  the page                     runs     what `info` prints
//   changed    another text after a change  tables   of the runs in the query, "run" each
//   facts      what lies over the lanes     parts    those that "p" names, each behind its size
//   overview-0, … as in a file (PageAnswers.h)
//
// All but the page is raw deflate. An error is a sentence, with a status that is not 200.

#include "app/cli/page/PageAnswers.h"
#include "app/cli/serve/HttpServer.h"
#include "core/model/Import.h"

namespace trainscope::cli {

class ServedPage {
public:
    // `program`: the page without data. Reading stops where the progress says no.
    ServedPage(std::string program, std::string database, Progress progress);

    [[nodiscard]] static bool isSlow(const HttpRequest& request);
    // Quick and slow ones by a thread each.
    [[nodiscard]] HttpAnswer answer(const HttpRequest& request);

private:
    // Slow answers on the same runs share it while the database stays as it is.
    struct Study {
        store::Store store;
        std::string of; // the runs and the state of the database
        std::optional<analysis::RunStudies> studies = {};
        std::optional<PageAnswers> answers = {};
    };

    [[nodiscard]] Result<std::string> quick(const HttpRequest& request);
    [[nodiscard]] Result<std::string> slow(const HttpRequest& request);
    Result<std::string> answerFrom(Study& study, const HttpRequest& request);
    Result<std::string> parts(const HttpRequest& request) const;

    std::string m_program;
    std::string m_database;
    Progress m_progress;
    std::optional<store::Store> m_store; // the quick thread alone
    std::unique_ptr<Study> m_study; // the slow one alone
};

} // namespace trainscope::cli
