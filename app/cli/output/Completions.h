#pragma once
// Shell completions, written from the command line's own description.

#include "app/cli/options/CommandText.h"

#include <iosfwd>
#include <vector>

namespace trainscope::cli {

void printBashCompletion(const std::vector<CommandText>& commands, std::ostream& out);
void printZshCompletion(const std::vector<CommandText>& commands, std::ostream& out);
void printFishCompletion(const std::vector<CommandText>& commands, std::ostream& out);

} // namespace trainscope::cli
