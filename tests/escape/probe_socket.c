// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_socket: sockets by family, type and protocol; what routing sockets may and may not do.
 */
#include "probe.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256
#endif
#ifndef SOCK_PACKET
#define SOCK_PACKET 10
#endif
#define FAMILY_LAST  46
#define NETLINK_LAST 22

/* Result of socket(), which is closed again. */
static long socket_try(long family, long type, long protocol)
{
    long fd = syscall(SYS_socket, family, type, protocol);

    if (fd < 0)
        return -errno;
    close((int)fd);
    return 0;
}

static void other_families(struct trial *t)
{
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RDM};
    static const int flags[] = {0, SOCK_CLOEXEC, SOCK_NONBLOCK};

    for (int family = 0; family <= FAMILY_LAST; family++) {
        if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK)
            continue;
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < 3; k++)
                trial_call(t, 0, socket_try(family, types[i] | flags[k], 0), "socket(%d, %#x)",
                           family, (unsigned)(types[i] | flags[k]));
    }
}

static void packet_sockets(struct trial *t)
{
    long all = htons(ETH_P_ALL);

    trial_call(t, 0, socket_try(AF_PACKET, SOCK_RAW, all), "socket(PACKET, RAW)");
    trial_call(t, 0, socket_try(AF_PACKET, SOCK_DGRAM, all), "socket(PACKET, DGRAM)");
}

static void raw_sockets(struct trial *t)
{
    static const int families[] = {AF_INET, AF_INET6};
    static const int protocols[] = {IPPROTO_ICMP, IPPROTO_TCP, IPPROTO_RAW, 0};

    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 4; k++)
            trial_call(t, 0, socket_try(families[i], SOCK_RAW, protocols[k]), "socket(%d, RAW, %d)",
                       families[i], protocols[k]);
        trial_call(t, 0, socket_try(families[i], SOCK_PACKET, htons(ETH_P_ALL)),
                   "socket(%d, PACKET)", families[i]);
    }
}

static void upper_bits(struct trial *t)
{
    trial_call(t, 0, socket_try(1L << 32 | AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)),
               "socket(1<<32|PACKET)");
    trial_call(t, 0, socket_try(AF_INET, 1L << 40 | SOCK_RAW, IPPROTO_ICMP),
               "socket(INET, 1<<40|RAW)");
    trial_call(t, 0, socket_try(1L << 33 | AF_VSOCK, SOCK_STREAM, 0), "socket(1<<33|VSOCK)");
    trial_call(t, 0, socket_try(AF_NETLINK, SOCK_RAW, 1L << 32 | NETLINK_KOBJECT_UEVENT),
               "socket(NETLINK, 1<<32|UEVENT)");
}

static void socket_pairs(struct trial *t)
{
    static const int families[] = {AF_TIPC, AF_RDS, AF_VSOCK, AF_KCM, AF_NETLINK};
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    int ends[2];

    for (size_t i = 0; i < 5; i++)
        /* Netlink is allowed as a family, but the kernel has no pairs of it. */
        trial_call(t, families[i] == AF_NETLINK,
                   RESULT(socketpair(families[i], SOCK_STREAM, 0, ends)), "socketpair(%d)",
                   families[i]);
    for (size_t i = 0; i < 3; i++) {
        bool works = socketpair(AF_UNIX, types[i], 0, ends) == 0;
        trial_must(t, works, "socketpair(UNIX, %d)", types[i]);
        if (works) {
            close(ends[0]);
            close(ends[1]);
        }
    }
}

static void vsock(struct trial *t)
{
    struct sockaddr_vm host = {.svm_family = AF_VSOCK, .svm_cid = 2, .svm_port = 1024};
    int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_NONBLOCK, 0);

    trial_call(t, 0, fd < 0 ? -errno : 0, "socket(VSOCK)");
    if (fd < 0 || t->control)
        return;
    trial_call(t, 0, RESULT(connect(fd, (struct sockaddr *)&host, sizeof host)), "connect(cid 2)");
    host.svm_cid = VMADDR_CID_ANY;
    trial_call(t, 0, RESULT(bind(fd, (struct sockaddr *)&host, sizeof host)), "bind(CID_ANY)");
}

static void other_netlink(struct trial *t)
{
    for (int protocol = 1; protocol <= NETLINK_LAST; protocol++) {
        trial_call(t, 0, socket_try(AF_NETLINK, SOCK_RAW, protocol), "socket(NETLINK, RAW, %d)",
                   protocol);
        trial_call(t, 0, socket_try(AF_NETLINK, SOCK_DGRAM, protocol), "socket(NETLINK, DGRAM, %d)",
                   protocol);
    }
}

/* One rtnetlink request and the first answer's type, or its error. */
struct route_request {
    struct nlmsghdr head;
    union {
        struct rtgenmsg any;
        struct ifinfomsg link;
        struct ifaddrmsg address;
        struct rtmsg route;
    } body;
    char attributes[64];
};

static void attribute_add(struct route_request *request, unsigned short type, const void *data,
                          unsigned short size)
{
    struct rtattr *attribute = (void *)((char *)request + NLMSG_ALIGN(request->head.nlmsg_len));

    attribute->rta_type = type;
    attribute->rta_len = RTA_LENGTH(size);
    memcpy(RTA_DATA(attribute), data, size);
    request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len) + RTA_ALIGN(RTA_LENGTH(size));
}

static long route_send(struct route_request *request)
{
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    char answer[8192] __attribute__((aligned(8)));
    struct nlmsghdr *head = (void *)answer;
    long rc;

    if (fd < 0)
        return -errno;
    rc = RESULT(
        sendto(fd, request, request->head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel));
    if (rc >= 0)
        rc = RESULT(recv(fd, answer, sizeof answer, 0));
    if (rc >= 0 && head->nlmsg_type == NLMSG_ERROR)
        rc = ((struct nlmsgerr *)NLMSG_DATA(head))->error;
    close(fd);
    return rc;
}

static struct route_request route_request(unsigned short type, unsigned short flags, size_t body)
{
    struct route_request request;

    memset(&request, 0, sizeof request);
    request.head.nlmsg_len = NLMSG_LENGTH(body);
    request.head.nlmsg_type = type;
    request.head.nlmsg_flags = NLM_F_REQUEST | flags;
    return request;
}

static void route_read(struct trial *t)
{
    static const unsigned short types[] = {RTM_GETLINK, RTM_GETADDR};
    struct ifaddrs *list = NULL;

    for (size_t i = 0; i < 2; i++) {
        struct route_request request = route_request(types[i], NLM_F_DUMP, sizeof(struct rtgenmsg));
        trial_call(t, 0, route_send(&request), "dump of %u", types[i]);
    }
    trial_must(t, getifaddrs(&list) == 0, "getifaddrs: %s", strerror(errno));
    for (struct ifaddrs *a = list; a != NULL && !t->network; a = a->ifa_next)
        trial_must(t, strcmp(a->ifa_name, "lo") == 0, "interface %s", a->ifa_name);
    freeifaddrs(list);
}

/* A link of an unknown kind, no change of lo, an address that is there, a route to nowhere. */
static void route_write(struct trial *t)
{
    struct route_request link =
        route_request(RTM_NEWLINK, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
    struct route_request set = route_request(RTM_SETLINK, NLM_F_ACK, sizeof(struct ifinfomsg));
    struct route_request address =
        route_request(RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifaddrmsg));
    struct route_request route =
        route_request(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, sizeof(struct rtmsg));
    const uint32_t loopback = htonl(INADDR_LOOPBACK), nowhere = 0x7ffffff0;

    attribute_add(&link, IFLA_IFNAME, "escape0", 8);
    set.body.link.ifi_index = (int)if_nametoindex("lo");
    address.body.address = (struct ifaddrmsg){
        .ifa_family = AF_INET, .ifa_prefixlen = 8, .ifa_index = if_nametoindex("lo")};
    attribute_add(&address, IFA_LOCAL, &loopback, sizeof loopback);
    route.body.route = (struct rtmsg){.rtm_family = AF_INET,
                                      .rtm_table = RT_TABLE_MAIN,
                                      .rtm_scope = RT_SCOPE_LINK,
                                      .rtm_type = RTN_UNICAST};
    attribute_add(&route, RTA_OIF, &nowhere, sizeof nowhere);
    trial_call(t, 0, route_send(&link), "RTM_NEWLINK");
    trial_call(t, 0, route_send(&set), "RTM_SETLINK");
    trial_call(t, 0, route_send(&address), "RTM_NEWADDR");
    trial_call(t, 0, route_send(&route), "RTM_NEWROUTE");
}

static void interface_ioctls(struct trial *t)
{
    struct ifreq request = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    ioctl(fd, SIOCGIFFLAGS, &request);
    trial_call(t, 0, RESULT(ioctl(fd, SIOCSIFFLAGS, &request)), "SIOCSIFFLAGS");
    ioctl(fd, SIOCGIFADDR, &request);
    trial_call(t, 0, RESULT(ioctl(fd, SIOCSIFADDR, &request)), "SIOCSIFADDR");
    close(fd);
}

static void interfaces_write(struct trial *t)
{
    route_write(t);
    interface_ioctls(t);
}

static void other_protocols(struct trial *t)
{
    static const struct {
        const char *name;
        int type, protocol;
    } tried[] = {
        {"MPTCP", SOCK_STREAM, IPPROTO_MPTCP}, {"SCTP", SOCK_STREAM, IPPROTO_SCTP},
        {"SMC", SOCK_STREAM, IPPROTO_SMC},     {"UDPLITE", SOCK_DGRAM, IPPROTO_UDPLITE},
        {"ICMP", SOCK_DGRAM, IPPROTO_ICMP},    {"DCCP", SOCK_DCCP, IPPROTO_DCCP},
    };
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(443)};

    inet_pton(AF_INET, "192.0.2.1", &there.sin_addr);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        long fd = RESULT(socket(AF_INET, tried[i].type | SOCK_NONBLOCK, tried[i].protocol));
        long rc = fd < 0 ? fd : RESULT(connect((int)fd, (struct sockaddr *)&there, sizeof there));
        trial_call(t, 0, rc, "%s to 192.0.2.1", tried[i].name);
        if (fd >= 0)
            close((int)fd);
    }
}

static void privileged_options(struct trial *t)
{
    static const struct {
        const char *name;
        int level, option, value;
    } options[] = {{"IP_TRANSPARENT", IPPROTO_IP, IP_TRANSPARENT, 1},
                   {"SO_MARK", SOL_SOCKET, SO_MARK, 1},
                   {"SO_PRIORITY", SOL_SOCKET, SO_PRIORITY, 7},
                   {"TCP_REPAIR", IPPROTO_TCP, TCP_REPAIR, 1}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    for (size_t i = 0; i < 4; i++)
        trial_call(t, 0,
                   RESULT(setsockopt(fd, options[i].level, options[i].option, &options[i].value,
                                     sizeof(int))),
                   "setsockopt(%s)", options[i].name);
    close(fd);
}

static void data_calls_work(struct trial *t)
{
    int ends[2], size = 4096;
    char byte = 'x';

    trial_must(t, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    trial_must(t, sendto(ends[0], &byte, 1, MSG_NOSIGNAL, NULL, 0) == 1, "sendto");
    trial_must(t, recv(ends[1], &byte, 1, 0) == 1, "recv");
    trial_must(t, setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size) == 0,
               "setsockopt");
    trial_must(t, shutdown(ends[0], SHUT_WR) == 0 && recv(ends[1], &byte, 1, 0) == 0, "shutdown");
    const char *const argv[] = {"python3", "-c", "import asyncio; asyncio.run(asyncio.sleep(0))",
                                NULL};
    long rc = program_run(argv);
    trial_must(t, rc == 0 || rc == -ENOENT, "asyncio ends with %ld", rc);
}

#define FAMILY "EAFNOSUPPORT EPERM"

const struct probe probes_socket[] = {
    {"E-SOC-01", other_families, FAMILY, EVERY, CONTROL_SAME, NULL, NULL},
    {"E-SOC-02", packet_sockets, "EPERM EAFNOSUPPORT", EVERY, CONTROL_ROOT, NULL, "EPERM"},
    {"E-SOC-03", raw_sockets, "EPERM EPROTONOSUPPORT ESOCKTNOSUPPORT EINVAL", EVERY, CONTROL_ROOT,
     NULL, NULL},
    {"E-SOC-04", upper_bits, "EPERM EAFNOSUPPORT EPROTONOSUPPORT", EVERY, CONTROL_ROOT, NULL, NULL},
    {"E-SOC-05", socket_pairs,
     "EPERM EAFNOSUPPORT EOPNOTSUPP; EPERM EAFNOSUPPORT EOPNOTSUPP ESOCKTNOSUPPORT", EVERY,
     CONTROL_NONE, NULL, NULL},
    {"E-SOC-06", vsock, FAMILY, EVERY, CONTROL_SAME, NULL, NULL},
    {"E-SOC-07", other_netlink, "EPERM EPROTONOSUPPORT EAFNOSUPPORT", EVERY, CONTROL_SAME, NULL,
     NULL},
    {"E-SOC-08", route_read, "OK", EVERY, CONTROL_NONE, NULL, "OK"},
    {"E-SOC-09", interfaces_write, "EPERM", EVERY, CONTROL_ROOT, NULL, "EPERM"},
    {"E-SOC-10", other_protocols, "EPERM EACCES EPROTONOSUPPORT ESOCKTNOSUPPORT ENETUNREACH",
     ONLY_DEFAULT, CONTROL_REACH, NULL, NULL},
    {"E-SOC-11", privileged_options, "EPERM", EVERY, CONTROL_ROOT, NULL, "EPERM"},
    {"E-SOC-12", data_calls_work, "OK", EVERY, CONTROL_NONE, NULL, "OK"},
    {0},
};
