# SPDX-License-Identifier: GPL-3.0-only
"""The hostile streams that the judges read: classics, the corpus of the filter, mutations of both.

A stream is (name, bytes). The mutations are made with a fixed seed, so a failure can be repeated.
"""
import base64
import random

MUTATIONS = 300
SEED = 7

ESC, ST, BEL = b"\033", b"\033\\", b"\007"


def csi(*bodies):
    return [ESC + b"[" + body for body in bodies]


def osc(*bodies):
    return [ESC + b"]" + body + end for body in bodies for end in (BEL, ST)]


def dcs(*bodies):
    return [ESC + b"P" + body + ST for body in bodies]


def apc(*bodies):
    return [ESC + b"_" + body + ST for body in bodies]


def classics(watched):
    """{class: streams}. What writes or removes files does it in the directory watched."""
    b64 = base64.b64encode
    target = b64(watched.encode() + b"/sent")
    victim = b64(watched.encode() + b"/tty-graphics-protocol-victim")
    injected = b"\r touch " + watched.encode() + b"/injected \r"
    return {
        "title set and report":
            [ESC + b"]2;" + injected + BEL + ESC + b"[21t",
             ESC + b"]2;evil" + BEL + ESC + b"[21t", ESC + b"]1;evil" + ST + ESC + b"[20t",
             ESC + b"]0;evil" + BEL + ESC + b"[20t" + ESC + b"[21t",
             ESC + b"[>3t" + ESC + b"]2;6576696c" + BEL + ESC + b"[21t"],
        "OSC 52": osc(*(b"52;%s;%s" % (which, text) for which in (b"c", b"p", b"s0", b"")
                        for text in (b64(b"evil command"), b"?", b"!"))),
        "kitty clipboard": osc(b"5522;type=read;Lg==", b"5522;type=write"),
        "DECRQSS": dcs(b"$qm", b"$qr", b"$q q", b'$q"p', b"$q\"q", b"$qs", b"$q\r id \r"),
        "XTGETTCAP": dcs(b"+q544e", b"+q636f6c6f7273", b"+q544e;6b31", b"+Q", b"+p787465726d"),
        "attributes": csi(b"c", b"0c", b">c", b">0c", b"=c", b">q", b">0q") + [ESC + b"Z", b"\x05"],
        "reports":
            csi(b"5n", b"?5n", b"?6n", b"?15n", b"?25n", b"?26n", b"?53n", b"?55n", b"?56n",
                b"?62n", b"?63;1n", b"?75n", b"?85n", b"?996n", b"x", b"0x", b"1x", b"1$w", b"2$w",
                b"$w", b"1$u", b"2$u", b"?25$p", b"4$p", b"?2026$p", b"?u", b"?4m", b">4;?m",
                b"1;1;1;1;5;5*y", b"&u", b"+x", b"#R", b"#S", b"1'z\033['|"),
        "window": csi(b"2t", b"1t", b"3;40;50t", b"4;300;400t", b"8;10;40t", b"8;;100t", b"9;1t",
                      b"9;0t", b"10;1t", b"10;0t", b"11t", b"13t", b"13;2t", b"14t", b"14;2t",
                      b"15t", b"16t", b"18t", b"19t", b"30t", b"?3h", b"?40h\033[?3h", b"132$|",
                      b"40*|", b"50t", b"?2048h"),
        "colours": osc(*(b"%d;?" % n for n in range(10, 20)), b"4;1;?", b"4;1;?;2;?", b"5;0;?",
                       b"21;foreground=?", b"104;?", b"708;?"),
        "keys": [ESC + b"P0;1|17/6576696c" + ST, ESC + b"P1;0|17/6576696c" + ST],
        "media copy": csi(b"i", b"0i", b"4i", b"?1i", b"10i", b"?10i", b"11i", b"?11i",
                          b"5ievil\033[4i", b"?5i\n evil\n\033[?4i"),
        "fonts and permissions": osc(b"50;?", b"50;fixed", b"50;#+1", b"60;?", b"60", b"61;?",
                                     b"61;allowWindowOps", b"62;?", b"3;?_NET_WM_NAME", b"3;EVIL=1",
                                     b"46;" + watched.encode() + b"/log", b"55;" + watched.encode() +
                                     b"/dump", b"702;?", b"701;?", b"7;file:///", b"1337;ReportCellSize",
                                     b"1337;ReportVariable=bmFtZQ==", b"99;i=1:p=?;", b"777;notify;a;b",
                                     b"1337;File=name=ZXZpbA==:ZXZpbA==", b"9;4;1;50", b"51;A", b"666;evil"),
        "logging": csi(b"?46hevil\033[?46l"),
        "kitty graphics": apc(b"Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA", b"Ga=T,f=24,s=1,v=1,i=5;AAAA",
                              b"Gi=7,a=q,t=f,f=24,s=1,v=1;" + b64(b"/etc/passwd"),
                              b"Gi=8,a=T,t=t,f=24,s=1,v=1;" + victim),
        "kitty files": osc(b"5113;ac=send;id=x;bp=" + b64(b"bypass"), b"5113;ac=receive;id=y;sz=1",
                           b"5113;ac=file;id=x;fid=f;n=" + target,
                           b"5113;ac=end_data;id=x;fid=f;d=ZXZpbA==", b"5113;ac=finish;id=x"),
        "kitty remote control":
            dcs(b'@kitty-cmd{"cmd":"ls","version":[0,26,0]}',
                b'@kitty-cmd{"cmd":"launch","version":[0,26,0],"payload":{"args":["touch","'
                + watched.encode() + b'/launched"],"type":"background"}}',
                b"@kitty-echo|ZXZpbA==", b"@kitty-print|ZXZpbA=="),
        "images": dcs(b"q#0;2;0;0;0#0~~@@vv@@~~$", b"0pS(C1)P[100,100]") +
            csi(b"?1;1;0S", b"?2;1;0S", b"?1;4;0S"),
        "tmux": dcs(b"tmux;\033\033[6n", b"=1000p", b"1000p"),
        "macros": dcs(b"0;0;0!z1B5B63", b"1;1;1!zevil") + csi(b"0*z", b"1*z"),
        "modes that answer": csi(b"?1004h", b"?1003h", b"?2031h", b"?5522h", b"?9001h", b"?2l\033Z\033<"),
        "8-bit controls": [ESC + b" G" + ESC + b"[c" + ESC + b" F", b"\x9bc", b"\xc2\x9bc",
                           b"\x9d52;c;ZXZpbA==\x9c", b"\xc2\x9d52;c;ZXZpbA==\xc2\x9c",
                           b"\x90$qm\x9c"],
    }


def corpus(path):
    """The inputs of all rows of the output direction, with what is fed before."""
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            name, direction, given, _, _, _, note = line.split("\t")
            if direction != "out":
                continue
            before = note.split("feed:")[1] if note.startswith("pre=") and "feed:" in note else ""
            yield name, bytes.fromhex(before.replace(",", ";").split(";")[0]) + bytes.fromhex(given)


def mutate(rng, stream):
    stream = bytearray(stream)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(stream) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            stream[at:at] = rng.choice([b"\033", b"\030", b"\033\\", b"\007", b"\x9b", b"\xc2\x9b",
                                        b"\033[", b"\033]", b"\033P", b";", b"?", b"\n", b"\0"])
        elif kind == 1:
            stream[at:at + 1 + rng.randrange(3)] = b""
        elif kind == 2:
            stream[at:at + 1] = bytes([rng.randrange(256)])
        elif kind == 3:
            stream[at:at + 1] = bytes([rng.randrange(0x40, 0x7F)])
        else:
            del stream[at:]
    return bytes(stream) or ESC


def mutations(streams):
    """Concatenations of up to four streams, each a little broken. Long ones are left out: they
    are one long parameter or title, and would be most of the bytes."""
    rng = random.Random(SEED)
    short = [stream for _, stream in streams if len(stream) <= 400]
    for i in range(MUTATIONS):
        parts = [mutate(rng, rng.choice(short)) for _ in range(1 + rng.randrange(4))]
        yield f"mutation {i}", b"".join(parts)


def all_streams(cases, watched):
    streams = [(f"{name} {i}", stream) for name, group in classics(watched).items()
               for i, stream in enumerate(group)]
    streams += corpus(cases)
    return streams + list(mutations(streams))
