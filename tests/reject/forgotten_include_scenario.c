SCENARIO void s(void)
{
    SESSION { }
}
