# SPDX-License-Identifier: GPL-3.0-only
"""queries: what agents ask their terminal when they start, as they were recorded, and a program
that asks.

QUERIES: name: (question, regex of the whole answer). Each has to be answered by the jail.
SILENT: questions of the kind that needs no answer: who asks puts DA1 behind it and goes on when
that is answered (man page ai-jail-terminal(7)).
ASK is a program for `python3 -c`: asks all of the file of its first argument as often as the second
says and writes the answers and the times, in microseconds, into the file of the third.
"""
ST, BEL = "\033\\", "\a"
DA1 = "\033[c"
DA1_ANSWER = r"\033\[\?62;22c"
COLOUR = r"rgb:[0-9a-f]{4}/[0-9a-f]{4}/[0-9a-f]{4}"


def osc(body, end):
    return "\033]" + body + end


QUERIES = {
    "DA1": (DA1, DA1_ANSWER),
    "DA2": ("\033[>c", r"\033\[>\d+;\d+;\d+c"),
    "XTVERSION": ("\033[>0q", r"\033P>\|[ -~]+\033\\"),
    "DSR": ("\033[5n", r"\033\[0n"),
    "CPR": ("\033[6n", r"\033\[\d+;\d+R"),
    "DECXCPR": ("\033[?6n", r"\033\[\?\d+;\d+R"),
    **{f"DECRQM {mode}": (f"\033[?{mode}$p", rf"\033\[\?{mode};[0-4]\$y")
       for mode in (1004, 1007, 1016, 2004, 2026, 2027, 2031)},
    "kitty keyboard": ("\033[?u", r"\033\[\?\d+u"),
    "XTQMODKEYS": ("\033[?4m", r"\033\[>4;\d+m"),
    "theme": ("\033[?996n", r"\033\[\?997;[12]n"),
    "foreground": (osc("10;?", ST), rf"\033\]10;{COLOUR}\033\\"),
    "background": (osc("11;?", BEL), rf"\033\]11;{COLOUR}\a"),
    **{f"colour {n}": (osc(f"4;{n};?", ST), rf"\033\]4;{n};{COLOUR}\033\\") for n in (0, 1, 15)},
    "XTGETTCAP": ("\033P+q4d73" + ST, r"\033P[01]\+r[0-9A-Fa-f=]*\033\\"),
    "DECRQSS": ("\033P$qm" + ST, r"\033P1\$r[0-9;:]*m\033\\"),
    "text area": ("\033[14t", r"\033\[4;\d+;\d+t"),
    "cell": ("\033[16t", r"\033\[6;\d+;\d+t"),
    "size": ("\033[18t", r"\033\[8;\d+;\d+t"),
}
SILENT = {
    "notifications": osc("99;i=1:p=?;", ST),
    "capabilities": osc("1337;Capabilities", ST),
    "clipboard": osc("52;c;?", ST),
    "kitty graphics": "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA" + ST,
    "text sizing": osc("66;w=2; ", ST),
    "graphics attributes": "\033[?1;1;0S",
}
ASK = r"""
import json, os, re, select, sys, time, tty
tty.setraw(0)
asked, rounds, result = json.load(open(sys.argv[1])), int(sys.argv[2]), {}
for name, question, answer in asked * rounds:
    question, whole = question.encode(), re.compile(answer.encode(), re.S)
    got, begin = b'', time.perf_counter()
    os.write(1, question)
    while not whole.fullmatch(got) and select.select([0], [], [], 20)[0]:
        got += os.read(0, 4096)
    taken = (time.perf_counter() - begin) * 1e6
    row = result.setdefault(name, {'times': [], 'answers': []})
    row['times'].append(taken)
    row['answers'].append(got.decode('latin-1'))
with open(sys.argv[3] + '.part', 'w') as file:
    json.dump(result, file)
os.rename(sys.argv[3] + '.part', sys.argv[3])
"""
