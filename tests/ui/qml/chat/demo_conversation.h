#pragma once

#include "app/store/records.h"

/// A conversation that has a row of every kind, for pictures and tests of the chat view.
namespace alcove::ui::test {

QVector<app::Message> demoConversation();
/// `count` messages of mixed length, question and answer in turn.
QVector<app::Message> longConversation(int count);

} // namespace alcove::ui::test
