# Writes OUTPUT, the manual page caromd(8), from the help of PROGRAM: the same texts. Run by the
# build with cmake -P. Lines "  --option VALUE  VARIABLE  text" and "  limit  NUMBER  text" become
# tagged paragraphs, "Name:" a section, and other indented lines a block that is kept unchanged.
execute_process(COMMAND "${PROGRAM}" --help OUTPUT_VARIABLE help RESULT_VARIABLE code)
execute_process(COMMAND "${PROGRAM}" --version OUTPUT_VARIABLE version RESULT_VARIABLE code_version)
if(NOT code EQUAL 0 OR NOT code_version EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} --help ended with ${code}")
endif()
string(STRIP "${version}" version)
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE ";" "\\;" help "${help}") # an element of the list for each line
string(REPLACE "[" "\\(lB" help "${help}")
string(REPLACE "]" "\\(rB" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REPLACE "'" "\\(aq" help "${help}")
string(REGEX REPLACE "\n                                     *" " " help "${help}") # the help breaks its lines
string(REPLACE "\n" ";" help "${help}")
set(page ".TH CAROMD 8 \"\" \"${version}\" \"System Administration\"
.SH NAME
caromd \\- server of 2D physics worlds
.SH SYNOPSIS
.B caromd
[\\fIOPTION\\fR]...
.SH DESCRIPTION
")
set(kept FALSE)
foreach(line IN LISTS help)
    set(block FALSE)
    if(line MATCHES "^Usage:")
        continue()
    elseif(line MATCHES "^  (\\\\-\\\\-[^ ]+)( [^ ]+)? +(CAROM_[A-Z_]+) +(.*)$")
        # One space is enough before the variable: the name and its value may fill their column.
        string(STRIP "${CMAKE_MATCH_2}" value)
        set(text ".TP\n\\fB${CMAKE_MATCH_1}\\fR \\fI${value}\\fR\n${CMAKE_MATCH_4}. Environment: \\fB${CMAKE_MATCH_3}\\fR.\n")
    elseif(line MATCHES "^  (\\\\-\\\\-[^ ]+)( [^ ]+)?  +(.*)$")
        string(STRIP "${CMAKE_MATCH_2}" value)
        set(text ".TP\n\\fB${CMAKE_MATCH_1}\\fR \\fI${value}\\fR\n${CMAKE_MATCH_3}\n")
    elseif(line MATCHES "^  ([a-z_]+) +([0-9]+)( [a-z]+)?  +(.*)$")
        set(text ".TP\n\\fB${CMAKE_MATCH_1}\\fR (${CMAKE_MATCH_2}${CMAKE_MATCH_3})\n${CMAKE_MATCH_4}\n")
    elseif(line MATCHES "^([A-Z][a-z]+)(.*):$")
        string(TOUPPER "${CMAKE_MATCH_1}" section)
        set(text ".SH ${section}\n${CMAKE_MATCH_1}${CMAKE_MATCH_2}:\n")
    elseif(line MATCHES "^Exit codes: (.*)$")
        set(text ".SH EXIT STATUS\n${CMAKE_MATCH_1}\n")
    elseif(line MATCHES "^  ")
        set(block TRUE)
        set(text "${line}\n")
    elseif(line STREQUAL "")
        continue()
    else()
        set(text ".PP\n${line}\n")
    endif()
    if(block AND NOT kept)
        string(APPEND page ".PP\n.nf\n")
    elseif(kept AND NOT block)
        string(APPEND page ".fi\n")
    endif()
    set(kept ${block})
    string(APPEND page "${text}")
endforeach()
if(kept)
    string(APPEND page ".fi\n")
endif()
string(APPEND page ".SH SEE ALSO\n.BR carom (1)\n")
file(WRITE "${OUTPUT}" "${page}")
