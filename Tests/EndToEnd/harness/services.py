# SPDX-License-Identifier: Apache-2.0
"""CTA-708 services: builds codes, blocks and packets, and computes the resulting screen, picture by picture."""

ROWS, COLUMNS = 16, 64
CLEAR, DISPLAY, HIDE, TOGGLE, DELETE, DELAY, END_DELAY, RESET = range(0x88, 0x90)
BACKSPACE, FORM_FEED, RETURN, HORIZONTAL_RETURN = b"\x08", b"\x0c", b"\x0d", b"\x0e"
EXTENDED = {"…": 0x25, "Š": 0x2A, "’": 0x32, "™": 0x39, "⅛": 0x76}


def define(window, rows=2, columns=32, visible=False, style=1, anchor=7, place=(70, 105), pen=1):
    flags = (0x20 if visible else 0) | 0x18
    return bytes([0x98 + window, flags, place[0], place[1], anchor << 4 | rows - 1, columns - 1, style << 3 | pen])


def current(window):
    return bytes([0x80 + window])


def windows(command, *numbers):
    return bytes([command, sum(1 << number for number in numbers)])


def at(row, column):
    return bytes([0x92, row, column])


def pen(italic=False, underlined=False, tag=0):
    return bytes([0x90, tag << 4 | 5, (0x80 if italic else 0) | (0x40 if underlined else 0)])


def color(red, green, blue):
    return bytes([0x91, red << 4 | green << 2 | blue, 0, 0])


def text(letters):
    out = b""
    for letter in letters:
        if letter in EXTENDED:
            out += bytes([0x10, EXTENDED[letter]])
        elif letter == "♪":
            out += b"\x7f"
        elif ord(letter) > 0xFF:
            out += b"\x18" + ord(letter).to_bytes(2, "big")
        else:
            out += bytes([ord(letter)])
    return out


def blocks(service, data, max_size=31):
    """The data in service blocks. A block of service 7 or above has the service number after its header."""
    out = b""
    for start in range(0, len(data), max_size):
        part = data[start:start + max_size]
        out += bytes([service << 5 | len(part)]) if service < 7 else bytes([7 << 5 | len(part), service])
        out += part
    return out


class Packets:
    """Packs the data of all services into triplets, a fixed number per picture."""

    def __init__(self, pace=12):
        self.pace, self.sequence, self.triplets = pace, 0, []

    def send(self, *parts):
        """`parts`: (service, bytes) tuples. Each is sent in packets of its own, with at most 62 bytes of data each."""
        for service, data in parts:
            for start in range(0, len(data), 62):
                body = blocks(service, data[start:start + 62])
                body += b"\0" * (1 - len(body) % 2)
                self.triplets.append(bytes([0xFF, self.sequence << 6 | (len(body) + 1) // 2 & 0x3F, body[0]]))
                self.triplets += [bytes([0xFE]) + body[place:place + 2] for place in range(1, len(body), 2)]
                self.sequence = self.sequence + 1 & 3

    def picture(self):
        """The triplets of the next picture."""
        taken, self.triplets = self.triplets[:self.pace], self.triplets[self.pace:]
        return taken


class Receiver:
    """Reassembles packets."""

    def __init__(self):
        self.packet = b""

    def take(self, triplets):
        """The (service, bytes) of the packets that these triplets complete."""
        found = []
        for triplet in triplets:
            self.packet = triplet[1:] if triplet[0] == 0xFF else self.packet + triplet[1:]
            if len(self.packet) == (self.packet[0] & 63) * 2:
                found += self.unpacked(self.packet[1:])
        return found

    @staticmethod
    def unpacked(body):
        found, place = {}, 0
        while place < len(body) and body[place]:
            service, size = body[place] >> 5, body[place] & 31
            if service == 7:
                place += 1
                service = body[place]
            found[service] = found.get(service, b"") + body[place + 1:place + 1 + size]
            place += 1 + size
        return list(found.items())


class Window:
    def __init__(self, rows, columns, visible):
        self.rows, self.columns, self.visible = rows, columns, visible
        self.cells, self.row, self.column = {}, 0, 0

    def shown(self):
        """The lines that are not empty."""
        lines = []
        for row in range(ROWS):
            places = [column for (line, column) in self.cells if line == row]
            line = "".join(self.cells.get((row, column), " ") for column in range(max(places, default=-1) + 1)).strip()
            lines += [line] if line else []
        return lines


class Screen:
    """The windows of one service. Supports only the codes that the functions above make: left to right, rolling up."""

    def __init__(self):
        self.windows, self.current = {}, None

    def take(self, codes):
        place = 0
        while place < len(codes):
            place += self.step(codes[place:])

    def shown(self):
        """{window: its lines}"""
        return {number: each.shown() for number, each in self.windows.items() if each.visible and each.shown()}

    def step(self, codes):
        first, window = codes[0], self.windows.get(self.current)
        chosen = [number for number in range(8) if len(codes) > 1 and codes[1] >> number & 1]
        if 0x98 <= first:
            if first < 0xA0:
                self.define(first - 0x98, codes)
                return 7
        elif 0x80 <= first < 0x88:
            self.current = first - 0x80 if first - 0x80 in self.windows else self.current
            return 1
        elif first in (CLEAR, DISPLAY, HIDE, TOGGLE, DELETE):
            for each in chosen:
                self.change(first, each)
            return 2
        elif first == RESET:
            self.windows, self.current = {}, None
            return 1
        elif first == 0x92:
            if window:
                window.row, window.column = codes[1], codes[2]
            return 3
        elif first in (0x90, 0x91):
            return 3 if first == 0x90 else 4
        elif first < 0x20 and first not in (0x10, 0x18):
            if window:
                self.control(window, first)
            return 1
        letter, size = self.letter(codes)
        if window and window.column < COLUMNS:
            window.cells[window.row, window.column] = letter
            window.column += 1
        return size

    @staticmethod
    def letter(codes):
        if codes[0] == 0x10:
            return next(letter for letter, code in EXTENDED.items() if code == codes[1]), 2
        if codes[0] == 0x18:
            return chr(codes[1] << 8 | codes[2]), 3
        return "♪" if codes[0] == 0x7F else chr(codes[0]), 1

    def define(self, number, codes):
        rows, columns, visible = (codes[4] & 15) + 1, (codes[5] & 63) + 1, bool(codes[1] & 0x20)
        self.current = number
        window = self.windows.get(number)
        if window is None:
            window = self.windows[number] = Window(rows, columns, visible)
        elif window.codes != codes[:7]:
            window.rows, window.columns, window.visible = rows, columns, visible
        window.codes = codes[:7]

    def change(self, command, number):
        window = self.windows.get(number)
        if window is None:
            return
        if command == CLEAR:
            window.cells = {}
        elif command == DELETE:
            del self.windows[number]
            self.current = None if self.current == number else self.current
        else:
            window.visible = command == DISPLAY or command == TOGGLE and not window.visible

    @staticmethod
    def control(window, code):
        if code == BACKSPACE[0]:
            window.column = max(0, window.column - 1)
            window.cells.pop((window.row, window.column), None)
        elif code == FORM_FEED[0]:
            window.cells, window.row, window.column = {}, 0, 0
        elif code == HORIZONTAL_RETURN[0]:
            window.cells = {place: letter for place, letter in window.cells.items() if place[0] != window.row}
            window.column = 0
        elif code == RETURN[0]:
            window.column = 0
            if window.row + 1 < window.rows:
                window.row += 1
                return
            # Row 0 scrolls out; cells below the last row do not belong to the window.
            window.cells = {(row - 1, column): letter for (row, column), letter in window.cells.items()
                            if 0 < row < window.rows} | {
                                place: letter for place, letter in window.cells.items() if place[0] >= window.rows}
            window.row = window.rows - 1
