"""SepBIT: pages that are expected to die together lie together (FAST 2022)."""

streams, lives, lifespan = 6, [], [float("inf")]


def host():
    return 0, lifespan


def moved(unit):
    if unit.stream == 0:
        lives.append(unit.life)
        if len(lives) % 16 == 0:
            lifespan[0] = sum(lives[-16:]) // 16
        return 2
    return 3, [4 * lifespan[0], 16 * lifespan[0]]
