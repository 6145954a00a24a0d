#pragma once
// What the command line ends with, design section 8.

#include "core/model/Result.h"

namespace trainscope::cli {

enum class ExitStatus {
    Done = 0,
    Partly = 1, // some of it could not be done, or it was stopped; warnings are on stderr
    Usage = 2, // wrong arguments, or a name that does not exist
    Unreadable = 3, // input that cannot be read, or output that cannot be written
    Refused = 4, // the database is foreign, newer, broken or locked
};

ExitStatus exitStatusOf(ErrorCode code);

} // namespace trainscope::cli
