"use strict";
// Time in a replay: which turn is shown, and playing on. It knows no board: whoever listens is told the turn.

const playback = (last, tell) => {
  const PACE = 620; // milliseconds a turn at speed 1
  let turn = 0, speed = 1, timer = null;

  const pace = () => PACE / speed;

  function go(to, walking = false) {
    const wanted = Math.min(last, Math.max(0, Math.round(to)));
    const forward = wanted === turn + 1;
    turn = wanted;
    tell(turn, { forward, walking, milliseconds: forward ? pace() * 0.8 : 0, playing: timer !== null });
  }

  function pause() {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    go(turn);
  }

  function tick() {
    if (turn >= last) { pause(); return; }
    timer = setTimeout(tick, pace());
    go(turn + 1, true);
  }

  return {
    get turn() { return turn; },
    get playing() { return timer !== null; },
    /** Show a turn; whatever was playing stops. */
    to(wanted) { if (timer !== null) { clearTimeout(timer); timer = null; } go(wanted); },
    pause,
    /** Play on from here, from the start when this is the end; or stop. */
    toggle() {
      if (timer !== null) { pause(); return; }
      if (turn >= last) go(0);
      timer = 0;
      tick();
    },
    speed(value) { speed = value; },
  };
};
