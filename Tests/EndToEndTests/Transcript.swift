/// The session of the specification up to its `export`: what is typed and what comes back, from the first prompt to the last
/// answer.
let transcript = #"""
  stsh> describe
  module   origin  fields  actions  projections
  counter  swift   2       4        0
  tasks    swift   2       3        2
  stsh> describe tasks
  module tasks (swift)
  state
    nextId  Int
    items   [Task]  Task{id: Int, title: String, done: Bool}
  actions
    tasks.add title:String
    tasks.complete id:Int
    tasks.remove id:Int
  projections
    tasks.open     [Task]
    tasks.summary  String
  stsh> dispatch tasks.add "Buy milk"
  #1 tasks.add title="Buy milk"
    tasks.nextId  1 -> 2
    tasks.items[id=1]  + { id = 1, title = "Buy milk", done = false }
  stsh> dispatch tasks.add title="Write report"
  #2 tasks.add title="Write report"
    tasks.nextId  2 -> 3
    tasks.items[id=2]  + { id = 2, title = "Write report", done = false }
  stsh> show tasks
  nextId  3
  items   2 items
    id  title         done
    1   Buy milk      false
    2   Write report  false
  stsh> show tasks.open --as json
  [{"id":1,"title":"Buy milk","done":false},{"id":2,"title":"Write report","done":false}]
  stsh> show tasks.items[id=2].title
  "Write report"
  stsh> show tasks.items[*].title --as raw
  Buy milk
  Write report
  stsh> dispatch counter.increment
  #3 counter.increment
    counter.value  0 -> 1
  stsh> dispatch counter.increment by=$(state.counter.value + 4)
  #4 counter.increment by=5
    counter.value  1 -> 6
  stsh> dispatch counter.incremnt
  error[unknown-action]: unknown action 'counter.incremnt'
    dispatch counter.incremnt
             ^~~~~~~~~~~~~~~~
    hint: did you mean 'counter.increment'?
  stsh> = state.counter.value * 10
  60
  stsh> plugin load pomodoro
  #5 shell.loadPlugin name="pomodoro" version="0.1.0"
    3 actions, 2 middleware, 1 command
  stsh> watch pomodoro.phase
  watch 1: pomodoro.phase = "idle"
  stsh> dispatch pomodoro.start minutes=1 task=2
  [watch 1] pomodoro.phase  "idle" -> "work"  (#6 pomodoro.start)
  #6 pomodoro.start minutes=1 task=2
    pomodoro.phase  "idle" -> "work"
    pomodoro.left  0 -> 60
    pomodoro.task  + 2
    pomodoro.length  0 -> 1
  stsh> pomodoro status
  work 01:00 on Write report
  stsh> wait 30s
  stsh> pomodoro status
  work 00:30 on Write report
  stsh> effects
  id                    wakes
  pomodoro/clock/ticks  in 1.0s
  stsh> wait 31s
  [watch 1] pomodoro.phase  "work" -> "rest"  (#66 pomodoro.tick)
  stsh> show tasks.summary
  "1 of 2 done"
  stsh> log
  n      at     source                    action                                            changed
  #1     0.0s   repl:3                    tasks.add title="Buy milk"                        tasks.nextId, tasks.items[id=1]
  #2     0.0s   repl:4                    tasks.add title="Write report"                    tasks.nextId, tasks.items[id=2]
  #3     0.0s   repl:9                    counter.increment                                 counter.value
  #4     0.0s   repl:10                   counter.increment by=5                            counter.value
  #5     0.0s   repl:13                   shell.loadPlugin name="pomodoro" version="0.1.0"  -
  #6     0.0s   repl:15                   pomodoro.start minutes=1 task=2                   pomodoro.phase, pomodoro.left, pomodoro.task, pomodoro.length
  #7-66  60.0s  plugin:pomodoro/clock     pomodoro.tick x60                                 pomodoro.left, pomodoro.phase, pomodoro.rounds[1]
  #67    60.0s  plugin:pomodoro/finisher  tasks.complete id=2                               tasks.items[id=2].done
  stsh> log --changed tasks.items
  n    at     source                    action                          changed
  #1   0.0s   repl:3                    tasks.add title="Buy milk"      tasks.nextId, tasks.items[id=1]
  #2   0.0s   repl:4                    tasks.add title="Write report"  tasks.nextId, tasks.items[id=2]
  #67  60.0s  plugin:pomodoro/finisher  tasks.complete id=2             tasks.items[id=2].done
  stsh> undo
  [watch 1] pomodoro.phase  "rest" -> "idle"  (#68 shell.restore)
  #68 shell.restore to=5  (takes back #6 pomodoro.start and 61 later actions)
    tasks.items[id=2].done  true -> false
    pomodoro.phase  "rest" -> "idle"
    pomodoro.task  - 2
    pomodoro.rounds[1]  - 1
    pomodoro.length  1 -> 0
  stsh> undo --to 30
  [watch 1] pomodoro.phase  "idle" -> "work"  (#69 shell.restore)
  #69 shell.restore to=30
    pomodoro.phase  "idle" -> "work"
    pomodoro.left  0 -> 36
    pomodoro.task  + 2
    pomodoro.length  0 -> 1
  stsh> effects
  id                    wakes
  pomodoro/clock/ticks  in 1.0s
  stsh> redo
  [watch 1] pomodoro.phase  "work" -> "idle"  (#70 shell.restore)
  #70 shell.restore to=5
    pomodoro.phase  "work" -> "idle"
    pomodoro.left  36 -> 0
    pomodoro.task  - 2
    pomodoro.length  1 -> 0
  stsh> goto 4
  viewing #4 of 70 (read-only)
  stsh @4/70> show counter
  value  6
  step   1
  stsh @4/70> dispatch counter.reset
  error[not-at-head]: the store shows #4 of 70; dispatching from the past would fork history
    hint: `goto head` returns to the present; `undo --to 4` makes #4 the present
  stsh @4/70> goto head
  at head (#70)
  stsh> middleware on logger
  #71 shell.setGate name="logger" open=true
  stsh> dispatch counter.setStep to=5
  [logger] #72 counter.setStep to=5  <- repl:33
  [logger]  counter.step  1 -> 5
  #72 counter.setStep to=5
    counter.step  1 -> 5
  stsh> middleware off logger
  #73 shell.setGate name="logger" open=false
  stsh> middleware
  order  name               gate  seen  tasks  origin
  1      logger             off   1     0      swift
  2      pomodoro.clock     on    0     0      lua
  3      pomodoro.finisher  on    60    0      lua
  stsh> let n = 3
  stsh> dispatch counter.increment by=$n
  #74 counter.increment by=3
    counter.value  6 -> 9
  stsh> assert state.counter.value == 8 -- counter should be 8
  error[assert-failed]: counter should be 8
    left   state.counter.value = 9
    right  8 = 8
  stsh> export journal run.jsonl
  wrote 74 actions to run.jsonl

  """#
