<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>alcove::ui::AppModel</name>
    <message numerus="yes">
        <source>Answer finished, %n token(s)</source>
        <translation>
            <numerusform>Answer finished, %n token</numerusform>
            <numerusform>Answer finished, %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n core(s)</source>
        <translation>
            <numerusform>%n core</numerusform>
            <numerusform>%n cores</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>alcove::ui::BlockListModel</name>
    <message numerus="yes">
        <source>Show %n more row(s)</source>
        <translation>
            <numerusform>Show %n more row</numerusform>
            <numerusform>Show %n more rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show %n more line(s)</source>
        <translation>
            <numerusform>Show %n more line</numerusform>
            <numerusform>Show %n more lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Code, %1, %n line(s)</source>
        <translation>
            <numerusform>Code, %1, %n line</numerusform>
            <numerusform>Code, %1, %n lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Table, %n row(s)</source>
        <translation>
            <numerusform>Table, %n row</numerusform>
            <numerusform>Table, %n rows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>alcove::ui::ComposerModel</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message numerus="yes">
        <source>%n byte(s)</source>
        <comment>size</comment>
        <translation>
            <numerusform>%n byte</numerusform>
            <numerusform>%n bytes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>alcove::ui::StatusModel</name>
    <message numerus="yes">
        <source>Reading %n new token(s)</source>
        <translation>
            <numerusform>Reading %n new token</numerusform>
            <numerusform>Reading %n new tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>About %n more exchange(s) fit</source>
        <translation>
            <numerusform>About %n more exchange fits</numerusform>
            <numerusform>About %n more exchanges fit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s), %1</source>
        <translation>
            <numerusform>%n conversation, %1</numerusform>
            <numerusform>%n conversations, %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation>
            <numerusform>%n thread</numerusform>
            <numerusform>%n threads</numerusform>
        </translation>
    </message>
</context>
</TS>
