#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

namespace alcove::e2e {

/// Reads the database of a running Alcove from outside, read-only, as a person with a database tool
/// would: tests compare what the window did with what was kept.
class Observer {
public:
    explicit Observer(QString database) : m_database(std::move(database)) {}

    struct Message {
        qint64 id = 0, parentId = 0;
        QString role, state, text;
    };
    QVector<Message> messages() const; ///< in order of creation; empty while there is no database
    QVector<Message> answers() const;
    QVector<Message> questions() const;
    QString title() const;     ///< of the conversation used last
    int conversations() const; ///< not in the trash
    qint64 leaf() const;
    QString integrity() const; ///< "ok"

    /// Calls `condition` every 20 ms until it is true; false after `timeoutMs`.
    template <class Condition> static bool waitUntil(Condition condition, int timeoutMs) {
        for (int waited = 0; waited < timeoutMs; waited += 20) {
            if (condition())
                return true;
            pause(20);
        }
        return condition();
    }

private:
    static void pause(int ms);
    QString m_database;
};

} // namespace alcove::e2e
