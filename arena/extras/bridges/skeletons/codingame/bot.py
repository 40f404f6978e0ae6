me, columns, rows = map(int, input().split())
while True:
    opponent_column = int(input())
    free = [int(input()) for _ in range(int(input()))]
    print(free[0], flush=True)
