"""Prints the destination of each TCP connection and UDP packet that is seen on the loopback interface, one in each line.

Needs Linux and the right to open raw sockets. The first line is "ready".
"""

import ipaddress
import socket
import struct
import sys

ETH_P_ALL = 3
TCP, UDP = 6, 17
SYN, ACK = 2, 16

raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
raw.bind(("lo", 0))
print("ready", flush=True)
while True:
    packet, address = raw.recvfrom(65535)
    if address[2] == socket.PACKET_OUTGOING:  # Each packet is seen twice on loopback.
        continue
    kind = struct.unpack("!H", packet[12:14])[0]
    if kind == 0x0800:
        start = 14 + (packet[14] & 15) * 4
        protocol, target = packet[23], ipaddress.ip_address(packet[30:34])
    elif kind == 0x86DD:
        start = 54
        protocol, target = packet[20], ipaddress.ip_address(packet[38:54])
    else:
        continue
    port = struct.unpack("!H", packet[start + 2 : start + 4])[0] if protocol in (TCP, UDP) else 0
    if protocol == TCP and packet[start + 13] & (SYN | ACK) != SYN:
        continue
    name = {TCP: "tcp", UDP: "udp"}.get(protocol, str(protocol))
    sys.stdout.write(f"{name} {target} {port}\n")
    sys.stdout.flush()
