"""CRC-32C, as the logs, images and backups of worlds have it (RFC 3720)."""


def _row(byte):
    for _ in range(8):
        byte = byte >> 1 ^ 0x82F63B78 * (byte & 1)
    return byte


TABLE = [_row(byte) for byte in range(256)]


def crc32c(data, crc=0):
    """The checksum of the bytes, or of those of which `crc` is the checksum and these behind them."""
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283
